package resolve

import (
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/textmatch"
)

// A Resolution is what a term could mean. T is [Entity] or [Field].
type Resolution[T any] struct {
	Term   string `json:"term"`
	Kind   string `json:"kind,omitempty"` // the kind that was asked for; for a field, the source
	Status Status `json:"status"`

	// Candidates are sorted by their score, the best first. What they are depends
	// on Status: the one that is meant (Resolved), those that could be meant
	// (Ambiguous, Near), or at most three suggestions (Unresolved).
	Candidates []Candidate[T] `json:"candidates"`

	// More is the number of further candidates, as far as they were counted.
	More int `json:"more,omitempty"`

	// Problems report parts of the search that failed or did not match the call,
	// such as an embedder that is down or a kind that no entity has. Candidates may
	// be missing then. Those that are listed are correct.
	Problems []string `json:"problems,omitempty"`
}

// A Candidate is an entity or a field that a term could mean.
type Candidate[T any] struct {
	Value       T       `json:"value"`
	Score       float64 `json:"score"`        // from 0 to 1
	Match       string  `json:"match"`        // how it was found, such as "exact"
	MatchedName string  `json:"matched_name"` // the name or alias that matches the term
}

// A Status is the outcome of a [Resolution].
type Status string

const (
	Resolved   Status = "resolved"   // it is certain which candidate is meant
	Ambiguous  Status = "ambiguous"  // several candidates fit equally well
	Near       Status = "near"       // names are similar, or the same and of another kind
	Unresolved Status = "unresolved" // nothing is similar
)

// How a candidate was found: see [Candidate].
const (
	// By its name, apart from case, accents and most punctuation. Signs that
	// distinguish names, such as + and #, have to be the same.
	matchExact    = "exact"
	matchAlias    = "alias"    // by an alias, in the same way
	matchWords    = "words"    // by words of its name
	matchFuzzy    = "fuzzy"    // by words with another spelling or in the plural
	matchSemantic = "semantic" // by the vector of its name
	matchFinder   = "finder"   // by a [Finder] only
)

// The scores that decide between the statuses.
const (
	scoreTaken  = 0.86 // from here a single candidate is Resolved though the term is not exactly its name
	scoreAsked  = 0.85 // the most for a candidate whose similar words may be another name
	scoreStrong = 0.74 // from here several candidates are Ambiguous
	scoreNear   = 0.55 // from here a candidate is Near
	scoreMargin = 0.12 // the lead that a Resolved candidate needs

	maxSuggested = 3
)

// decide returns the status of a term with these hits, its first candidates, and
// the number of further ones.
func decide(hits []hit) (status Status, candidates []hit, more int) {
	status, candidates = classify(hits)
	n := min(len(candidates), maxCandidates)
	return status, candidates[:n], len(candidates) - n
}

// classify returns the status of a term with these hits and its candidates. The
// hits are sorted by score.
func classify(hits []hit) (Status, []hit) {
	var exact []hit
	best := folded
	for _, h := range hits {
		if h.exact {
			exact = append(exact, h)
			best = max(best, h.spelling)
		}
	}
	exact = slices.DeleteFunc(exact, func(h hit) bool { return h.spelling < best })
	switch {
	case len(exact) == 1:
		return Resolved, exact
	case len(exact) > 1:
		return Ambiguous, exact
	case len(hits) == 0 || hits[0].score < scoreNear:
		return Unresolved, hits[:min(len(hits), maxSuggested)]
	}
	leaders, near := 0, 0
	for _, h := range hits {
		if h.score >= hits[0].score-scoreMargin && h.match != matchSemantic {
			leaders++
		}
		if h.score >= scoreNear {
			near++
		}
	}
	switch {
	case leaders == 1 && hits[0].score >= scoreTaken && hits[0].match != matchSemantic && !hits[0].otherKind:
		return Resolved, hits[:1]
	case leaders > 1 && hits[0].score >= scoreStrong:
		return Ambiguous, lists.Filter(hits, func(h hit) bool { return h.score >= hits[0].score-scoreMargin })
	}
	return Near, hits[:near]
}

// Limits of names and terms, in bytes.
const (
	maxTermBytes = 256
	maxNameBytes = 512 // the rest of a longer name is not compared
	maxShown     = 80  // in a text
)

// checkTerm returns the term without surrounding space, or an error that matches
// [ErrInvalidTerm].
func checkTerm(term string) (string, error) {
	switch {
	case len(term) > maxTermBytes:
		return "", fmt.Errorf("resolve: term %s: %w: it has %d bytes, and at most %d are allowed",
			shown(term), ErrInvalidTerm, len(term), maxTermBytes)
	case textmatch.Fold(term) == "":
		return "", fmt.Errorf("resolve: term %s: %w: it needs a letter or a digit", shown(term), ErrInvalidTerm)
	}
	return strings.TrimSpace(strings.ToValidUTF8(term, "")), nil
}

// shown returns data as an error contains it.
func shown(s string) string { return prompt.Quote(prompt.Clip(s, maxShown)) }

// listed returns the first of names as an error contains them, each at most
// longest bytes long.
func listed(names []string, longest int) string {
	parts := make([]string, 0, maxListed+1)
	for _, n := range names[:min(len(names), maxListed)] {
		parts = append(parts, prompt.Quote(prompt.Clip(n, longest)))
	}
	if len(names) > maxListed {
		parts = append(parts, fmt.Sprintf("and %d more", len(names)-maxListed))
	}
	return strings.Join(parts, ", ")
}

const maxListed = 20
