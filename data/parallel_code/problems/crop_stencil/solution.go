package solution

import "strings"

func CropStencil(sheet []string) []string {
	top, bottom := -1, -1
	left, right := -1, -1
	for r, row := range sheet {
		first := strings.IndexByte(row, '#')
		if first < 0 {
			continue
		}
		if top < 0 {
			top, left = r, first
		}
		bottom = r
		if first < left {
			left = first
		}
		if last := strings.LastIndexByte(row, '#'); last > right {
			right = last
		}
	}
	cropped := []string{}
	if top < 0 {
		return cropped
	}
	for _, row := range sheet[top : bottom+1] {
		cropped = append(cropped, row[left:right+1])
	}
	return cropped
}
