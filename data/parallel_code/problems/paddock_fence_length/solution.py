from math import dist


def paddock_fence_length(posts: list[list[int]]) -> float:
    return sum((dist(posts[i - 1], post) for i, post in enumerate(posts)), 0.0)
