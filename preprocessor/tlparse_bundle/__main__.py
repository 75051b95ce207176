"""python -m tlparse_bundle"""

from tlparse_bundle.cli.main import main

if __name__ == "__main__":
    main()
