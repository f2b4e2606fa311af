"""What people said: forms with their guidelines, labels, consensus, and figures over them."""
