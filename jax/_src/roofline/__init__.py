"""What a program must compute, move and send at least: the sides of its roofline."""
