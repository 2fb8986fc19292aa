TAGS = {"*": "b", "_": "u", "~": "s"}


def chalkboard_to_tags(text: str) -> str:
    output: list[str] = []
    open_tags: list[str] = []
    characters = iter(text)
    for character in characters:
        tag = TAGS.get(character)
        if character == "\\":
            output.append(next(characters, "\\"))
        elif tag is None:
            output.append(character)
        elif tag not in open_tags:
            open_tags.append(tag)
            output.append(f"<{tag}>")
        else:
            while tag in open_tags:
                output.append(f"</{open_tags.pop()}>")
    output += [f"</{tag}>" for tag in reversed(open_tags)]
    return "".join(output)
