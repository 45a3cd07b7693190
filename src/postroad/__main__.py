"""`python -m postroad` is the same as `postroad`."""

from postroad.app.main import main

if __name__ == "__main__":
    main()
