"""The command line: ``hindsight …``. Commands are thin: each calls the public interface and shows what came back."""
