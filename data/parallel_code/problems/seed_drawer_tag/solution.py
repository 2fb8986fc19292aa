def seed_drawer_tag(name: str) -> str:
    return "".join(word[:3].capitalize() for word in name.split())
