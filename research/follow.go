package research

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/internal/usertext"
	"github.com/qedkit/qed/rag"
	"github.com/qedkit/qed/research/references"
)

// A Reference is a reference that a task detected, with the result of following it.
type Reference struct {
	Kind     references.Kind `json:"kind"`
	Text     string          `json:"text"`
	Target   string          `json:"target,omitempty"`
	Document string          `json:"document"` // that it is in
	Depth    int             `json:"depth"`    // of the passage that it is in

	// Followed reports whether it was searched for, and Reason why: the model's
	// words, or one of the constants of this package.
	Followed bool   `json:"followed"`
	Reason   string `json:"reason"`

	// Resolved is the document that it was resolved to, and Tier how its name
	// matched. Scoped reports whether that document was searched and had a passage;
	// otherwise all documents were searched. Candidates are the documents whose names
	// match equally well, so that it was resolved to none.
	Resolved   string          `json:"resolved,omitempty"`
	Tier       references.Tier `json:"tier,omitempty"`
	Ratio      float64         `json:"ratio,omitempty"`
	Scoped     bool            `json:"scoped,omitempty"`
	Candidates []string        `json:"candidates,omitempty"`
	Found      int             `json:"found,omitempty"` // passages

	// PartMissing reports that Resolved was searched for the part that Text names, such
	// as § 99, and no passage has its number.
	PartMissing bool `json:"part_missing,omitempty"`
}

// A candidate is a reference that may be followed.
type candidate struct {
	Reference
	detected references.Reference
	key      string // identifies it within the task
}

// Why a reference was not followed, if the model was not asked.
const (
	ReasonDepth     = "depth"     // see [Options.MaxDepth]
	ReasonVisited   = "visited"   // the task followed it before
	ReasonExternal  = "external"  // a URL, without [Options.Web]
	ReasonEnded     = "ended"     // the task ended before
	ReasonUndecided = "undecided" // the model did not decide
)

// SameDocument is the tier of a section that names no document: it is in the document
// that refers to it.
const SameDocument references.Tier = "same_document"

// followAll follows the references in findings of one depth, and returns the findings
// that they led to.
func (r *taskRun) followAll(ctx context.Context, level []finding, depth int) (next []finding, err error) {
	for _, f := range level {
		open, err := r.gate(ctx, &f, depth)
		if err != nil {
			return nil, err
		}
		for i := range open {
			ref := &open[i]
			if ref.Followed && r.out.report.Ended != "" {
				ref.Followed, ref.Reason = false, ReasonEnded
			}
			if !ref.Followed {
				r.out.report.References = append(r.out.report.References, ref.Reference)
				continue
			}
			hits, web, err := r.resolve(ctx, ref)
			r.out.report.References = append(r.out.report.References, ref.Reference)
			if err != nil {
				return nil, err
			}
			kept, err := r.read(ctx, hits, depth+1, web)
			if err != nil {
				return nil, err
			}
			next = append(next, kept...)
		}
	}
	return next, nil
}

// gateData is the data of the prompt that decides about references.
type gateData struct {
	Question, Task, Title, Text, Language string
	References                            []references.Reference
}

// decisions is the model's reply to that prompt.
type decisions struct {
	Decisions []struct {
		Reference int    `json:"reference" jsonschema_description:"the number before it"`
		Follow    bool   `json:"follow"`
		Reason    string `json:"reason"`
	} `json:"decisions"`
}

// gate decides which references of a finding are followed. The model is asked only
// about those that can be.
func (r *taskRun) gate(ctx context.Context, f *finding, depth int) ([]candidate, error) {
	var all []candidate
	var asked []int
	data := gateData{
		Question: r.s.Question, Task: r.todo.Description, Language: r.s.language(),
		Title: f.Chunk.Citation().Title, Text: f.Text,
	}
	for _, found := range f.References[:min(len(f.References), maxReferences)] {
		ref := candidate{detected: found, key: found.Key(), Reference: Reference{
			Kind: found.Kind, Text: found.Text, Target: found.Target, Document: f.Chunk.Document, Depth: depth,
		}}
		if found.Kind == references.Section && found.Target == "" {
			ref.key = f.Chunk.Document + "\x00" + ref.key
		}
		switch {
		case found.Kind == references.URL && (r.opt.Web == nil || !isPublic(found.Text)):
			ref.Reason = ReasonExternal
		case r.seenReferences[ref.key]:
			ref.Reason = ReasonVisited
		case depth >= r.opt.MaxDepth:
			ref.Reason = ReasonDepth
		case r.out.report.Ended != "":
			ref.Reason = ReasonEnded
		default:
			ref.Reason = ReasonUndecided
			asked = append(asked, len(all))
			data.References = append(data.References, found)
		}
		all = append(all, ref)
	}
	if len(asked) == 0 {
		return all, nil
	}
	reply, err := modelcall.Reply[decisions](ctx, r.model, "gate_references", gatePrompt, data, nil)
	if err != nil && !useless(err) {
		return nil, err
	}
	for _, d := range reply.Decisions {
		if d.Reference >= 0 && d.Reference < len(asked) {
			ref := &all[asked[d.Reference]]
			ref.Followed, ref.Reason = d.Follow, cmp.Or(tidy(d.Reason, maxNote), ReasonUndecided)
			r.seenReferences[ref.key] = r.seenReferences[ref.key] || d.Follow
		}
	}
	return all, nil
}

// resolve searches for what a reference refers to.
func (r *taskRun) resolve(ctx context.Context, ref *candidate) (hits []rag.Hit, web bool, err error) {
	switch ref.Kind {
	case references.URL:
		hits, problem, err := r.searchWeb(ctx, ref.Text)
		if problem != "" {
			r.failed(usertext.Fill(r.texts.WebFailed, "query", tidy(ref.Text, maxNote)), problem)
		}
		ref.Found = len(hits)
		return hits, true, err
	case references.Numbered, references.AuthorYear:
		// Literature is not in the registry.
	default:
		r.lookUp(&ref.Reference)
	}
	part := strings.TrimSpace(ref.detected.Part + " " + queryOf(&r.todo))
	missing := false // whether the resolved document had no passage for the task
	if ref.Resolved != "" {
		q := rag.Query{Text: part, K: followPassages, Filter: rag.Filter{Documents: []string{ref.Resolved}}}
		hits, failed, err := r.lookFor(ctx, q)
		if err == nil && len(hits) > 0 && !failed {
			hits, err = r.withPart(ctx, ref, q, hits)
		}
		if err != nil || len(hits) > 0 {
			ref.Scoped, ref.Found = err == nil, len(hits)
			return hits, false, err
		}
		missing = !failed && ref.Tier != SameDocument
	}
	hits, _, err = r.lookFor(ctx, rag.Query{Text: tidy(ref.Text, maxQuery), K: followPassages})
	ref.Found = len(hits)
	inDocument := func(h rag.Hit) bool { return h.Chunk.Document == ref.Resolved }
	if missing && err == nil && !slices.ContainsFunc(hits, inDocument) {
		r.problem(usertext.Fill(r.texts.MissingInIndex, "reference", tidy(ref.Text, maxNote), "document", ref.Resolved))
	}
	return hits, false, err
}

// withPart makes sure that one of the passages has the number of the part that a
// reference names, by a further search for the part alone. Without one the passages are
// of other parts, which is a problem of the task.
func (r *taskRun) withPart(ctx context.Context, ref *candidate, q rag.Query, hits []rag.Hit) ([]rag.Hit, error) {
	number := partNumber.FindString(ref.detected.Part)
	has := func(h rag.Hit) bool {
		text := strings.Join(h.Chunk.Headings, "\n") + "\n" + h.Chunk.Text
		return slices.Contains(partNumber.FindAllString(text, -1), number)
	}
	if number == "" || ref.Tier == SameDocument || slices.ContainsFunc(hits, has) {
		return hits, nil
	}
	q.Text = ref.detected.Part
	more, failed, err := r.lookFor(ctx, q)
	if err != nil || failed {
		return hits, err
	}
	for _, h := range more {
		if has(h) {
			return append([]rag.Hit{h}, hits[:min(len(hits), q.K-1)]...), nil
		}
	}
	ref.PartMissing = true
	r.problem(usertext.Fill(r.texts.PartMissing, "reference", tidy(ref.Text, maxNote), "document", ref.Resolved))
	return hits, nil
}

// partNumber matches the number of a part: 99, 12a, 4.2.
var partNumber = regexp.MustCompile(`\d+(?:\.\d+)*[a-z]?\b`)

// lookUp resolves the document that a reference names.
func (r *taskRun) lookUp(ref *Reference) {
	if ref.Kind == references.Section && ref.Target == "" {
		ref.Resolved, ref.Tier = ref.Document, SameDocument
		return
	}
	if r.opt.Registry == nil {
		return
	}
	m, ok := r.opt.Registry.Resolve(cmp.Or(ref.Target, ref.Text), r.s.Request.Collections...)
	if ok {
		ref.Resolved = m.Document.ID
	}
	ref.Tier, ref.Ratio = m.Tier, m.Ratio
	for _, d := range m.Candidates {
		ref.Candidates = append(ref.Candidates, d.ID)
	}
}

// lookFor searches, and adds a failure to the problems.
func (r *taskRun) lookFor(ctx context.Context, q rag.Query) (hits []rag.Hit, failed bool, err error) {
	hits, problem, err := r.search(ctx, r.s.Request, q)
	if problem != "" {
		r.failed(usertext.Fill(r.texts.SearchFailed, "query", q.Text), problem)
	}
	return hits, problem != "", err
}
