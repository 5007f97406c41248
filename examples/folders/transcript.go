package folders

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/qedkit/qed/examples/internal/replay"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
)

// Turn is a message of the user, with what the model writes in that turn.
type Turn struct {
	Text   string
	Plan   []Step // empty: the message is a reply, or asks for no search
	Other  string // why the message asks for no search; empty: it asks for one
	Intent string // of such a message
	Answer string
	Reply  string // the answer with references to its figures: see package figures; empty: Answer
}

// IsReply reports whether the message replies to a question of the turn before.
func (t Turn) IsReply() bool { return len(t.Plan) == 0 && t.Other == "" }

// Step is a step of a plan, with the bodies that the model writes for it. Each body
// but the last is refused or finds nothing.
type Step struct {
	Key    string
	Task   string
	After  []string
	One    bool
	Bodies []string
	Show   []string
	Why    string // after all Bodies: why the step cannot be done
}

// Transcript returns a conversation: a folder found by its name, wrong searches that
// are corrected, a question to the user, figures, an empty result, a field that is
// hidden, and a request that is no search.
func Transcript() []Turn {
	return []Turn{
		{
			Text: "List the documents in the Tax Documents folder.",
			Plan: []Step{
				folder("folder", "Tax Documents", `{"query":{"term":{"commonAttributes.name":"Tax Documents"}}}`),
				inFolder("documents", "list the documents in the folder Tax Documents", "folder",
					`{"query":{"bool":{"filter":[{"term":{"entityType.keyword":"DOCUMENT"}},{"term":{"systemAttributes.parentId.keyword":"abc-123"}}]}},"sort":[{"commonAttributes.name.keyword":"asc"}]}`),
			},
			Answer: "There are five documents in Tax Documents: Deductions.pdf, Invoice_2024.pdf, Receipt_Jan.pdf, Tax_Summary.xlsx and W2_2024.pdf.",
		},
		{
			Text: "Which of them did Lena Voss save a version of?",
			Plan: []Step{
				folder("folder", "Tax Documents"),
				inFolder("saved", "find the documents in the folder Tax Documents of which lena.voss saved a version", "folder",
					`{"query":{"bool":{"filter":[{"term":{"systemAttributes.parentId.keyword":"abc-123"}},{"term":{"versions.author":"lena.voss"}}]}}}`,
					`{"query":{"bool":{"filter":[{"term":{"systemAttributes.parentId.keyword":"abc-123"}},{"nested":{"path":"versions","query":{"term":{"versions.author":"lena.voss"}}}}]}},"sort":[{"commonAttributes.name.keyword":"asc"}]}`),
			},
			Answer: "Two of them: Deductions.pdf and Tax_Summary.xlsx.",
		},
		{
			Text: "What is in the Contracts folder?",
			Plan: []Step{
				folder("folder", "Contracts"),
				inFolder("documents", "list the documents in the folder Contracts", "folder",
					`{"query":{"bool":{"filter":[{"term":{"entityType.keyword":"DOCUMENT"}},{"term":{"systemAttributes.parentId.keyword":"f-201"}}]}},"sort":[{"commonAttributes.name.keyword":"asc"}]}`),
			},
			Answer: "The Contracts folder of Sales has two documents: Malmo_Harbour_2025.pdf and Northwind_Draft.docx.",
		},
		{Text: "2"},
		{
			Text: "How many documents are there of each file type, and how large are they together?",
			Plan: []Step{{
				Key: "types", Task: "count the documents and add up their bytes by file type",
				Bodies: []string{`{"size":0,"query":{"term":{"entityType.keyword":"DOCUMENT"}},"aggs":{"type":{"terms":{"field":"file.type","size":20},"aggs":{"bytes":{"sum":{"field":"file.bytes"}}}}}}`},
			}},
			Answer: "Most are PDF files: 10 of them with 1.6 MB together. There are 5 spreadsheets (0.3 MB), 2 photos (4.4 MB) and 2 Word documents (0.1 MB).",
			Reply:  "Most are PDF files: {r1.count} of them with {r1.bytes:1M} MB together. There are {r2.count} spreadsheets ({r2.bytes:1M} MB), {r4.count} photos ({r4.bytes:1M} MB) and {r3.count} Word documents ({r3.bytes:1M} MB).",
		},
		{
			Text: "How many files are in Payroll, and how many in Product Photos?",
			Plan: []Step{
				folder("payroll", "Payroll"),
				folder("photos", "Product Photos"),
				{
					Key: "count", Task: "count the documents in the folders Payroll and Product Photos, by folder", After: []string{"payroll", "photos"},
					Bodies: []string{`{"size":0,"query":{"terms":{"systemAttributes.parentId.keyword":["f-300","f-400"]}},"aggs":{"folder":{"terms":{"field":"systemAttributes.parentId.keyword","size":2}}}}`},
				},
			},
			Answer: "Payroll has three files, Product Photos two.",
		},
		{
			Text: "Is there a PDF of more than 10 MB in Tax Documents?",
			Plan: []Step{
				folder("folder", "Tax Documents"),
				inFolder("large", "find the PDF documents of more than 10 MB in the folder Tax Documents", "folder",
					`{"query":{"bool":{"filter":[{"term":{"systemAttributes.parentId.keyword":"abc-123"}},{"term":{"file.type":"pdf"}},{"range":{"file.bytes":{"gt":10000000}}}]}}}`,
					`{"query":{"bool":{"filter":[{"term":{"systemAttributes.parentId.keyword":"abc-123"}},{"term":{"file.type":"pdf"}},{"range":{"file.bytes":{"gt":10000000}}}]}}}`),
			},
			Answer: "No, there is no PDF of more than 10 MB in Tax Documents.",
		},
		{
			Text: "What is the taxpayer id in W2_2024.pdf?",
			Plan: []Step{{
				Key: "taxpayer", Task: "find the taxpayer id of the document W2_2024.pdf",
				Bodies: []string{`{"query":{"term":{"commonAttributes.name.keyword":"W2_2024.pdf"}},"_source":["commonAttributes.taxpayerId"],"sort":["commonAttributes.taxpayerId"]}`},
				Why:    "the documents have no field for a taxpayer's id",
			}},
		},
		{Text: "Move W2_2024.pdf to the Archive folder.", Intent: "move", Other: "it asks to move a document"},
	}
}

// folder is the step that finds a folder by its name, after wrong bodies.
func folder(key, name string, before ...string) Step {
	body := `{"query":{"bool":{"filter":[{"term":{"entityType.keyword":"FOLDER"}},{"term":{"commonAttributes.name.keyword":` + prompt.Quote(name) + `}}]}}}`
	return Step{
		Key: key, Task: "find the folder named " + name, One: true, Bodies: append(before, body),
		Show: []string{"commonAttributes.name", "systemAttributes.path"},
	}
}

func inFolder(key, task, after string, bodies ...string) Step {
	return Step{
		Key: key, Task: task, After: []string{after}, Bodies: bodies,
		Show: []string{"commonAttributes.name", "file.type", "file.bytes", "systemAttributes.modifiedAt", "systemAttributes.createdBy"},
	}
}

// Replay returns the rules of a scripted model that answers the search agent as
// recorded in turns. A rule depends on the request alone.
func Replay(turns []Turn) []llmtest.Rule {
	var rules []llmtest.Rule
	for _, t := range turns {
		class := map[string]any{"intent": "search", "confidence": "high", "reasoning": "it asks for documents"}
		if t.Other != "" {
			class["intent"], class["reasoning"] = t.Intent, t.Other
		}
		rules = append(rules,
			replay.Rule("classify", replay.Asks("about this decision: ", t.Text), class),
			replay.Rule("plan", replay.Asks("Question: ", t.Text), map[string]any{"steps": plan(t.Plan), "reason": ""}),
			replay.Rule("answer", replay.Asks("Question: ", t.Text), cmp.Or(t.Reply, t.Answer)),
		)
		for _, s := range t.Plan {
			rules = append(rules, s.replies(t.Text)...)
		}
	}
	return rules
}

func plan(steps []Step) []map[string]any {
	out := []map[string]any{}
	for _, s := range steps {
		out = append(out, map[string]any{"key": s.Key, "task": s.Task, "index": Index, "after": append([]string{}, s.After...), "one": s.One})
	}
	return out
}

var folderID = regexp.MustCompile(`"(abc-123|f-[0-9]+)"`)

// replies returns the rules for a step. A body with the id of a folder is the reply
// only if the request has the id, as a result of the steps before. The request for
// a correction quotes the body before it, so the last attempt is matched first.
func (s Step) replies(question string) []llmtest.Rule {
	attempts := make([]map[string]any, 0, len(s.Bodies)+1)
	for _, body := range s.Bodies {
		attempts = append(attempts, map[string]any{"body": body, "show": s.Show})
	}
	if s.Why != "" {
		attempts = append(attempts, map[string]any{"body": "", "reason": s.Why})
	}
	whole, task := replay.Asks("The question as a whole: ", question), replay.Asks("The task to be done: ", s.Task)
	var rules []llmtest.Rule
	for i := len(attempts) - 1; i >= 0; i-- {
		var known []string // folders that the body names: steps before it have found them
		if i < len(s.Bodies) {
			known = folderID.FindAllString(s.Bodies[i], -1)
		}
		again := func(*llm.Request) bool { return true }
		if i > 0 {
			again = replay.Asks("Your last body:\n", s.Bodies[i-1])
		}
		match := func(r *llm.Request) bool {
			return whole(r) && task(r) && again(r) && replay.Mentions(r, known...)
		}
		rules = append(rules, replay.Rule("generate", match, attempts[i]))
	}
	return rules
}

// Recorded returns the turns of the transcript: all of them for the empty question,
// else the turn with that text and the replies after it. Another question is an
// error that lists the recorded ones.
func Recorded(question string) ([]Turn, error) {
	all := Transcript()
	if question == "" {
		return all, nil
	}
	var texts []string
	for i, t := range all {
		switch {
		case t.IsReply():
		case strings.EqualFold(t.Text, strings.TrimSpace(question)):
			end := i + 1
			for end < len(all) && all[end].IsReply() {
				end++
			}
			return all[i:end], nil
		default:
			texts = append(texts, t.Text)
		}
	}
	return nil, replay.NotRecorded(texts)
}
