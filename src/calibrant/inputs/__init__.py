"""What people have, made into predictions and views."""
