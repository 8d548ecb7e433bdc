"""What is no plain value stays in its process: here is what stands for it in the other one."""
