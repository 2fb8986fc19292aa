def rope_around_posts(posts: list[list[int]]) -> list[list[int]]:
    def turns_left(a: list[int], b: list[int], c: list[int]) -> bool:
        return (b[0] - a[0]) * (c[1] - a[1]) > (b[1] - a[1]) * (c[0] - a[0])

    def half(points: list[list[int]]) -> list[list[int]]:
        chain = []
        for point in points:
            while len(chain) > 1 and not turns_left(chain[-2], chain[-1], point):
                chain.pop()
            chain.append(point)
        return chain[:-1]

    points = [list(point) for point in sorted(set(map(tuple, posts)))]
    if len(points) < 2:
        return points
    return half(points) + half(points[::-1])
