package dates

import (
	"strings"
	"time"
)

// A Verdict is how a check ended.
type Verdict string

// How a check ends. A check that cannot know ends as NotChecked.
const (
	Proved       Verdict = "proved"
	Contradicted Verdict = "contradicted"
	NotChecked   Verdict = "not_checked"
)

// A Period is a time that an answer is about: words of the question, and its
// bounds in the time zone of the calendar.
type Period struct {
	Words string `json:"words"` // such as "last month"

	// From is the first day or moment, such as 2026-02-01 or 2026-02-01 08:00:00,
	// and Before the first one after the period. An empty one means that the period
	// has no beginning or no end.
	From   string `json:"from,omitempty"`
	Before string `json:"before,omitempty"`
}

// A Source says who read a period out of the words of a question.
type Source string

// Who reads a period.
const (
	ByModel Source = "model" // the model that wrote the query, which names the periods that it used
	ByWords Source = "words" // [New], from the words alone
)

// Days returns the first and the last day of p for people, such as "2026-07-01 -
// 2026-09-30", or a single day. A moment is shown with its time.
func (p Period) Days() string {
	first, last := strings.TrimSuffix(p.From, " 00:00:00"), strings.TrimSuffix(p.Before, " 00:00:00")
	if to, err := time.Parse(time.DateOnly, last); err == nil {
		last = to.AddDate(0, 0, -1).Format(time.DateOnly)
	}
	if first == last {
		return last
	}
	return strings.TrimSpace(strings.TrimSpace(first+" -") + " " + last)
}

// A Reading is a period of a question and whether the queries read it.
type Reading struct {
	Period
	By      Source   `json:"by"`
	Verdict Verdict  `json:"verdict"`
	Found   []string `json:"found,omitempty"` // what the queries read instead, if Verdict is Contradicted
}

// A Bound is what the conditions of a query leave of a column with times: the
// values at or after From and before Before, written as in [Period].
type Bound struct {
	From, Before string
	Exact        bool // the conditions leave all of these values and no others
}
