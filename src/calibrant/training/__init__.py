"""What training does to claims, epoch by epoch, and what a term of the loss is worth."""
