package resolve

import "slices"

// isSlip reports whether a word as it was typed can hardly be any other than the right one: two neighbours of a
// long word are swapped, or it has a letter once too often where no word has it so. Most other differences
// of one letter are those of another name as well: Hamburg and Homburg, Maria and Marina, Anderson and Andersson.
func isSlip(typed, right []rune) bool {
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
		return false // the first letter is hardly ever wrong
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
	minSwapped  = 7 // letters: shorter words are more often another one so, such as Brian and Brain
	minRepeated = 5
)

// neverLastTwice are letters that words hardly ever end with twice.
var neverLastTwice = []rune("hijquvwxy")

// doubtful is what a likeness is worth that is asked about: less than is taken.
func doubtful(score float64) float64 {
	const from = 0.80
	if score <= from {
		return score
	}
	return from + (score-from)*(scoreAsked-from)/(1-from)
}
