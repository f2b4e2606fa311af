"""What people said: forms, label events, samples, the queue, consensus and decisions."""
