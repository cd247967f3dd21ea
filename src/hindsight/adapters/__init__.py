"""What the ports are made of: stores, models, queues. One adapter never imports another."""
