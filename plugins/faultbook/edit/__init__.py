"""Change the files of entries: format, mend, rename; what is not meant to change stays to the letter."""
