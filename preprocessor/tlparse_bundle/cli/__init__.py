import gc

gc.set_threshold(50_000)  # modules and tables are thousands of objects that stay, and next to nothing is garbage in cycles
