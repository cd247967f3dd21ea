"""The write path, one file a stage: attribute → guard → distil → embed → reconcile → commit → announce."""
