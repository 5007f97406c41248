package resolve

import "slices"

// isTypo reports whether a typed word can hardly be another word than the right
// one: two neighbouring letters of a long word are swapped, or a letter is repeated
// where no word repeats it. Most other single errors make another name: Hamburg and
// Homburg, Maria and Marina, Anderson and Andersson.
func isTypo(typed, right []rune) bool {
	same := 0
	for same < min(len(typed), len(right)) && typed[same] == right[same] {
		same++
	}
	a, b := typed[same:], right[same:]
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	switch {
	case same == 0:
		return false
	case len(a) == 2 && len(b) == 2:
		return len(typed) >= minSwapped && a[0] == b[1] && a[1] == b[0]
	case len(a) == 1 && len(b) == 0:
		end := same == len(typed)-1 && a[0] == typed[same-1] && slices.Contains(neverLastTwice, a[0])
		thrice := same > 1 && a[0] == typed[same-1] && a[0] == typed[same-2]
		return len(right) >= minRepeated && (end || thrice)
	}
	return false
}

const (
	minSwapped  = 7 // letters; swapped letters of shorter words often make another, as in Brian and Brain
	minRepeated = 5
)

// neverLastTwice are letters that words hardly ever end with in pairs.
var neverLastTwice = []rune("hijquvwxy")

// doubtful lowers a score below scoreTaken, so that the user is asked.
func doubtful(score float64) float64 {
	const from = 0.80
	if score <= from {
		return score
	}
	return from + (score-from)*(scoreAsked-from)/(1-from)
}
