package research

import (
	"encoding/json"
	"errors"

	"github.com/qedkit/qed"
)

// A Report is how a research came to its answer. The text of the report is that of
// the answer.
type Report struct {
	Question      string        `json:"question"`
	Language      string        `json:"language,omitempty"` // empty if it is not known
	Clarification Clarification `json:"clarification"`
	Analysis      *Analysis     `json:"query_analysis,omitempty"`
	Queries       []string      `json:"research_queries"`
	Context       string        `json:"additional_context,omitempty"`
	Tasks         []TaskReport  `json:"tasks"`
	Sources       []Source      `json:"sources"` // the sources of the answer's citations, in their order

	// Quality is nil if it could not be rated. Remediated says that the report was
	// written a second time.
	Quality    *Quality `json:"quality,omitempty"`
	Remediated bool     `json:"remediated,omitempty"`

	UnknownKeys int      `json:"unknown_keys"` // citations that were dropped
	Problems    []string `json:"problems,omitempty"`
}

// A TaskReport is how a task was researched.
type TaskReport struct {
	Key         string      `json:"key"`
	Description string      `json:"description"`
	Queries     []string    `json:"queries,omitempty"`
	Documents   []string    `json:"documents,omitempty"` // that were read
	References  []Reference `json:"references,omitempty"`
	Findings    int         `json:"findings"`
	Gaps        []string    `json:"gaps,omitempty"`
	Iterations  int         `json:"iterations"`
	Depth       int         `json:"depth"` // of the deepest passage
	Tokens      int         `json:"tokens"`
	Ended       TaskEnd     `json:"ended"`
	Errors      []string    `json:"errors,omitempty"` // of searches and of passages that were not read, for the developer
}

// A Source is a passage that the report cites.
type Source struct {
	Document string  `json:"document"` // or the URL
	Score    float64 `json:"score"`
	Depth    int     `json:"depth"`
	Web      bool    `json:"web,omitempty"`
}

// A Quality is the rating of a report. Each dimension is from 0 to 100, and Total
// is their sum.
type Quality struct {
	FactualAccuracy     int      `json:"factual_accuracy"`
	SemanticValidity    int      `json:"semantic_validity"`
	StructuralIntegrity int      `json:"structural_integrity"`
	CitationCorrectness int      `json:"citation_correctness"` // computed from the audit of the citations
	QueryRelevance      int      `json:"query_relevance"`
	Total               int      `json:"total"`
	Issues              []string `json:"issues,omitempty"`
}

const (
	reportName  = "research"
	reportMedia = "application/vnd.qed.research+json"
)

// ErrNoReport is returned by [ReportOf] for an answer without a report: a question to the
// user, or the answer to a user who wants no research any more.
var ErrNoReport = errors.New("research: the answer has no report, because no research was done")

// ReportOf returns the report of an answer of an agent of this package, or
// [ErrNoReport].
func ReportOf(answer qed.Answer) (*Report, error) {
	for _, a := range answer.Artifacts {
		if a.MediaType == reportMedia {
			r := new(Report)
			return r, json.Unmarshal(a.Data, r)
		}
	}
	return nil, ErrNoReport
}
