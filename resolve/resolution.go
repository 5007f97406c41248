package resolve

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/prompt"
)

// A Resolution says what a term could mean. T is an [Entity] or a [Field].
type Resolution[T any] struct {
	Term   string `json:"term"`
	Kind   string `json:"kind,omitempty"` // that was asked for; of a field, its source
	Status Status `json:"status"`

	// Candidates are the best first: the one that is meant where it is Resolved, those that
	// could be meant where it is Ambiguous or Near, and where it is Unresolved the nearest,
	// if any, as suggestions for who has to say it otherwise.
	Candidates []Candidate[T] `json:"candidates"`

	// More is how many could be meant beside these, as far as they were counted.
	More int `json:"more,omitempty"`

	// Problems say what could not be looked at, such as the vectors of an embedder that is
	// down, or not as it was asked for, such as a kind that no entity has. Candidates may be
	// missing then; those that are there are right all the same.
	Problems []string `json:"problems,omitempty"`
}

// A Candidate is what a term could mean.
type Candidate[T any] struct {
	Value T       `json:"value"`
	Score float64 `json:"score"` // from 0 to 1
	How   How     `json:"how"`
	As    string  `json:"as"` // the name or the alias that is like the term
}

// A Status says what can be done with a [Resolution].
type Status string

const (
	Resolved   Status = "resolved"   // one is meant, beyond doubt
	Ambiguous  Status = "ambiguous"  // several could be meant as well as each other
	Near       Status = "near"       // none of the kind is surely called so; some are called like it, or so and of another kind
	Unresolved Status = "unresolved" // there is nothing like it
)

// How says how a candidate was found.
type How string

const (
	Exact       How = "exact"       // by its name, whatever its case, accents and punctuation but for signs such as + and #
	Alias       How = "alias"       // by an alias
	Own         How = "own"         // by what the same user meant with the term before
	Words       How = "words"       // by words of its name
	Fuzzy       How = "fuzzy"       // by words that are nearly spelled like those of its name, or their plural
	Meaning     How = "meaning"     // by the vector of its name
	Description How = "description" // by words of a field's description
	Found       How = "found"       // by a [Finder] only
)

// Where the lines lie between what is taken, asked and left alone.
const (
	scoreTaken  = 0.86 // from which one that is not called exactly so is taken
	scoreAsked  = 0.85 // the most that one is worth whose words may be those of another one
	scoreStrong = 0.74 // from which two can be meant equally well
	scoreNear   = 0.55 // from which somebody may have meant it
	scoreMargin = 0.12 // how far the next one has to be

	maxSuggested = 3
)

// decide says what the hits come to, and returns those that matter, and how many were left out.
func decide(hits []hit, taken float64, limit int) (status Status, some []hit, more int) {
	status, some = weigh(hits, taken)
	if len(some) > limit {
		return status, some[:limit], len(some) - limit
	}
	return status, some, 0
}

func weigh(hits []hit, taken float64) (Status, []hit) {
	var sure []hit
	most := folded
	for _, h := range hits {
		if h.sure {
			sure = append(sure, h)
			most = max(most, h.written)
		}
	}
	sure = slices.DeleteFunc(sure, func(h hit) bool { return h.written < most })
	switch {
	case len(sure) == 1:
		return Resolved, sure
	case len(sure) > 1:
		return Ambiguous, sure
	case len(hits) == 0 || hits[0].score < scoreNear:
		return Unresolved, hits[:min(len(hits), maxSuggested)]
	}
	close, near := 0, 0
	for _, h := range hits {
		if h.score >= hits[0].score-scoreMargin && h.how != Meaning {
			close++
		}
		if h.score >= scoreNear {
			near++
		}
	}
	switch {
	case close == 1 && hits[0].score >= taken && hits[0].how != Meaning && !hits[0].other:
		return Resolved, hits[:1]
	case close > 1 && hits[0].score >= scoreStrong:
		some := make([]hit, 0, close)
		for _, h := range hits {
			if h.score >= hits[0].score-scoreMargin {
				some = append(some, h)
			}
		}
		return Ambiguous, some
	}
	return Near, hits[:near]
}

const (
	maxTermBytes = 256
	maxNameBytes = 512 // of a name that are compared
	maxShown     = 80  // bytes of a name or a term in a text
)

// ErrTerm says that a term cannot be looked for: it has no letter and no digit, or it is too
// long to be a name.
var ErrTerm = errors.New("it is no name")

// checkTerm returns a term as it is looked for.
func checkTerm(term string) (string, error) {
	switch {
	case len(term) > maxTermBytes:
		return "", fmt.Errorf("resolve: term %s: %w: it has %d bytes, and at most %d are allowed",
			shown(term), ErrTerm, len(term), maxTermBytes)
	case fold(term) == "":
		return "", fmt.Errorf("resolve: term %s: %w: it needs a letter or a digit", shown(term), ErrTerm)
	}
	return strings.TrimSpace(strings.ToValidUTF8(term, "")), nil
}

// shown returns data as an error shows it.
func shown(s string) string { return prompt.Quote(prompt.Clip(s, maxShown)) }
