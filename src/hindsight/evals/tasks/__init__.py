"""Tasks that need what was said or done before: does memory change what an agent does?"""
