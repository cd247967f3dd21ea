"""Memory for agents that are built with other libraries: one module each, imported where that library is used.

``hindsight.integrations.langgraph``, ``.openai_agents``, ``.pydantic_ai``, ``.llama_index``, ``.autogen``, ``.retrievers`` and ``.claude_code``.
"""
