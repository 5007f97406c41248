package modelcall

import "strings"

// rowShrinker and shrinker are data of a prompt that can be left out in part. Their methods
// leave out some of what can be missed most, at least a third of it, and report whether
// there was any.
type (
	// Rows, documents and what is remembered are left out before the conversation is.
	rowShrinker interface{ ShrinkRows() bool }

	// Descriptions such as columns are left out after the conversation.
	shrinker interface{ Shrink() bool }
)

// Halve leaves out the last half of a list that is longer than least.
func Halve[T any](list *[]T, least int) bool {
	n := len(*list)
	if n <= least {
		return false
	}
	*list = (*list)[:max(least, n/2)]
	return true
}

// HalveLines leaves out the last half of the lines of a text that has more than least.
func HalveLines(text *string, least int) bool {
	if *text == "" {
		return false
	}
	lines := strings.Split(strings.TrimSuffix(*text, "\n"), "\n")
	if !Halve(&lines, least) {
		return false
	}
	*text = strings.Join(lines, "\n")
	return true
}

// Drop leaves out a text.
func Drop(text *string) bool {
	had := *text != ""
	*text = ""
	return had
}
