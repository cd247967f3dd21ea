"""Two prompts around a task: what to recall before it, what to keep after it. In Chinese where the task is told in Chinese."""

from __future__ import annotations

from collections.abc import Mapping

import mcp_types as types

from hindsight.errors import InvalidInput
from hindsight.serve.desk import Desk
from hindsight.serve.mcp.retrieving import found
from hindsight.text.language import detect_language

PROMPTS = (
    types.Prompt(
        name="before_task",
        title="Before a task 任务之前",
        description="Recall what earlier work taught about a task. 开始任务前，回忆以往的经验教训",
        arguments=[types.PromptArgument(name="task", description="What is to be done 要做什么", required=True)],
    ),
    types.Prompt(
        name="after_task",
        title="After a task 任务之后",
        description="Keep what a finished task taught. 任务结束后，把经验教训存下来",
        arguments=[
            types.PromptArgument(name="task", description="What was done 做了什么", required=True),
            types.PromptArgument(name="outcome", description="success, failure, fixed, corrected 结果", required=False),
        ],
    ),
)
_BEFORE = {
    "en": """You are about to begin this task:
{task}

What memory holds about it:
{block}

Before you plan: use what fits, and heed what is to be avoided, or say why it does not apply here. Where your plan contradicts a \
memory, say so. If you need more, call memory_retrieve with a more specific query.""",
    "zh": """你将要开始这项任务：
{task}

记忆中与它有关的内容：
{block}

制定计划之前：采用适用的经验；对应当避免的做法，要么避免，要么说明为何此处不适用。若计划与某条记忆矛盾，请指出。需要更多信息时，用更具体的查询调用 memory_retrieve。""",
}
_AFTER = {
    "en": """This task has ended ({outcome}):
{task}

Keep what will help next time, with memory_store, one call each:
1. one episode: kind=episode, query=the situation as one would meet it again, content=what was done and how it ended, outcome, \
task_type, tools in the order used;
2. for each mistake or repair, a lesson: lesson={{condition, action, reason, avoid}};
3. each new fact, preference or constraint the user stated, in its own call.
Keep only what is new and certain; mark conclusions source=inferred. Do not store secrets or what memory gave you. Correct a memory \
that proved wrong with memory_update.""",
    "zh": """这项任务已经结束（{outcome}）：
{task}

请用 memory_store 保存下次有用的内容，每条一次调用：
1. 一条经历：kind=episode，query=再次遇到时的情境，content=做了什么、结果如何，以及 outcome、task_type、按顺序使用的 tools；
2. 每个错误或修复，一条教训：lesson={{condition, action, reason, avoid}}；
3. 用户说出的每个新事实、偏好或约束，各一次调用。
只保存新的、确定的内容；推断的请标 source=inferred。不要保存密钥，也不要保存记忆给你的内容。若某条记忆被证明有误，用 memory_update 更正。""",
}
_UNKNOWN = {"en": "outcome unknown", "zh": "结果未知"}


async def give(desk: Desk, name: str, arguments: Mapping[str, str]) -> types.GetPromptResult:
    """The prompt with its arguments filled in; ``before_task`` recalls first.

    Raises:
        InvalidInput: no such prompt, or an argument is missing or unknown.
    """
    prompt = next((each for each in PROMPTS if each.name == name), None)
    if prompt is None:
        raise InvalidInput(f"prompt {name!r} is not known; there are {', '.join(each.name for each in PROMPTS)}.")
    known = [argument.name for argument in prompt.arguments or ()]
    if unknown := sorted(set(arguments) - set(known)):
        raise InvalidInput(f"{', '.join(unknown)}: not an argument of {name}; it takes {', '.join(known)}.")
    task = arguments.get("task", "").strip()
    if not task:
        raise InvalidInput("task: is required; say in a sentence what the task is.")
    language = "zh" if detect_language(task) == "zh" else "en"
    if name == "before_task":
        text = _BEFORE[language].format(task=task, block=(await found(desk, task)).text)
    else:
        text = _AFTER[language].format(task=task, outcome=arguments.get("outcome", "").strip() or _UNKNOWN[language])
    message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
    return types.GetPromptResult(description=prompt.description, messages=[message])
