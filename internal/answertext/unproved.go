package answertext

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/usertext"
)

const (
	maxUnproved     = 5  // numbers that the sentence names
	maxUnprovedText = 40 // bytes of each
)

// Doubt returns the sentence about unproved numbers, or "" if there are none. text has
// {numbers}.
func Doubt(text string, unproved []string) string {
	if len(unproved) == 0 {
		return ""
	}
	var shown []string
	for _, number := range unproved {
		if number = prompt.Clip(number, maxUnprovedText); !slices.Contains(shown, number) {
			shown = append(shown, number)
		}
		if len(shown) > maxUnproved {
			shown[maxUnproved] = "…"
			break
		}
	}
	return usertext.Fill(text, "numbers", strings.Join(shown, ", "))
}

// Unproved returns the numbers, dates and times of a text that the sources it cites do not
// have. Prompts name the day of now, so a text may name it too.
func Unproved(audit *qed.CitationAudit, now time.Time) (unproved []string) {
	if audit == nil {
		return nil
	}
	for _, f := range audit.Findings {
		if f.Kind == qed.WrongNumber || f.Kind == qed.WrongDate && !mayBeDay(f.Text, now) {
			unproved = append(unproved, f.Text)
		}
	}
	return unproved
}

// mayBeDay reports whether all numbers of a date can be those of a day.
func mayBeDay(date string, day time.Time) bool {
	for digits := range strings.FieldsFuncSeq(date, func(r rune) bool { return !unicode.IsDigit(r) }) {
		n, err := strconv.Atoi(digits)
		if err != nil || n != day.Year() && n != int(day.Month()) && n != day.Day() {
			return false
		}
	}
	return true
}
