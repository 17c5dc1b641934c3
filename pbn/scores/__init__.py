"""Numbers from predictions and truth: arrays in, floats or frozen results out."""
