package solution

func QuiltPanelShapes(patches, maxRatio int) [][]int {
	shapes := [][]int{}
	for short := 1; short*short <= patches; short++ {
		if patches%short != 0 {
			continue
		}
		if long := patches / short; long <= maxRatio*short {
			shapes = append(shapes, []int{short, long})
		}
	}
	return shapes
}
