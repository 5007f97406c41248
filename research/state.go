package research

import (
	"regexp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/usertext"
	"github.com/qedkit/qed/rag"
	"github.com/qedkit/qed/research/references"
)

// state is the state of one turn.
type state struct {
	Question string
	Language string // of the texts; empty means that of the question, which is not known
	Request  Request

	Clarification Clarification
	Background    []rag.Chunk // what the rounds of the clarification found
	Analysis      *Analysis
	Queries       []string // research queries
	Context       string   // what the user added

	Plan     qed.TodoList
	Rejected string // why there is no plan; empty if there is one
	Tasks    []TaskReport
	Findings []finding
	Problems []string // for the user

	Drafts   []draft // at most two
	Finished finished
}

// A finding is what a task took from a passage.
type finding struct {
	Task       string
	Chunk      rag.Chunk
	Text       string // condensed
	Score      float64
	Depth      int
	Web        bool
	References []references.Reference // in Chunk
}

// A draft is a report with the keys of its citations.
type draft struct {
	Text    string
	Quality *Quality // nil if it is not known
	Focus   string
	Cut     bool // it is not complete
	Notes   bool // Text lists the findings, because the model wrote no report
}

// finished is what the answer of a turn needs.
type finished struct {
	Text      string
	Citations []qed.Citation
	Audit     *qed.CitationAudit
	Unproved  []string
	NotFound  bool
	Reason    string // why the answer is partial
	Report    Report
}

var languageTag = regexp.MustCompile(`^[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*$`)

// learn sets the language to that of a tag, if it is not known. The tag of a turn or a
// model can be any text.
func (s *state) learn(tag string) {
	if s.Language == "" && languageTag.MatchString(tag) {
		s.Language = usertext.Base(tag)
	}
}

// language names the language of the texts in prompts.
func (s *state) language() string {
	switch s.Language {
	case "":
		return "the language of the question"
	case usertext.German:
		return "German"
	case usertext.English:
		return "English"
	}
	return "the language with the tag " + s.Language
}

// Limits of what models and users write, in bytes.
const (
	maxQuery     = 500
	maxCondensed = 2000
	maxReply     = 4000
	maxNote      = 300
)

// clipped returns the texts that are not blank, at most n of them and each cut.
func clipped(texts []string, n, bytes int) []string {
	var all []string
	for _, text := range texts {
		if text = tidy(text, bytes); text != "" && len(all) < n {
			all = append(all, text)
		}
	}
	return all
}

// tidy returns a text on one line, cut after some bytes.
func tidy(text string, bytes int) string {
	return prompt.Clip(prompt.OneLine(text), bytes)
}
