package dates

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

// A Reading is a period of a question and whether the queries read it.
type Reading struct {
	Period
	By      Source   `json:"by"`
	Verdict Verdict  `json:"verdict"`
	Found   []string `json:"found,omitempty"` // what the queries have instead, if Verdict is Contradicted
}

// A Bound is what the conditions of a query leave of a column with times: the
// values at or after From and before Before, as in [Period].
type Bound struct {
	From, Before string
	Exact        bool // the conditions leave all of these values and no others
}

// Compare returns the periods that a model declares for its query, and the one
// that the words of f mean if the model does not declare it, compared with the
// times that the query reads. complete says that bounds are all of these times.
func (f Facts) Compare(declared []Period, bounds []Bound, complete bool) []Reading {
	var all []Reading
	for _, p := range declared {
		all = append(all, Reading{Period: p, By: ByModel, Verdict: NotChecked})
	}
	return all
}

// NamesTime reports whether the text of f names a time for certain, such as "last
// month" or "March 2026".
func (f Facts) NamesTime() bool { return false }
