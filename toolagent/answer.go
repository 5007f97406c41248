package toolagent

import (
	"errors"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/answertext"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/usertext"
)

func (r *run) finish(end *ending) (qed.Answer, error) {
	said := end.answer
	if said.Text == "" && end.cause == nil {
		var err error
		if said, end.reason, err = r.wrapUp(end.reason); err != nil {
			return qed.Answer{}, err
		}
	}
	if end.reason == "" && !slices.ContainsFunc(r.results, func(one *result) bool { return !one.failed }) {
		end.reason = r.texts(r.ctx).NotLookedUp
	}
	a := qed.Answer{Text: said.Text, Figures: said.Figures, Unproved: said.Unproved}
	if a.Text == "" {
		end.reason = firstText(end.reason, r.texts(r.ctx).NoReply)
		a.Text = r.found(end.reason)
		for _, one := range r.results {
			a.Unproved = append(a.Unproved, one.finding.Unproved...)
		}
		qed.Emit(r.ctx, qed.Token{Channel: qed.ChannelFinal, Content: a.Text}) // others were streamed
	}
	a.PartialReason = r.reasons(end.reason)
	a.Partial = a.PartialReason != ""
	if err := r.prove(&a); err != nil {
		return a, err
	}
	doubt := answertext.Doubt(r.texts(r.ctx).Unproved, a.Unproved)
	if doubt != "" && !strings.Contains(a.PartialReason, doubt) {
		a.Partial, a.PartialReason = true, strings.TrimSpace(a.PartialReason+" "+doubt)
		answertext.Append(r.ctx, &a.Text, doubt)
	}
	return a, nil
}

// reasons returns why the answer is partial: the reason of the loop, and those of
// the findings.
func (r *run) reasons(reason string) string {
	var all []string
	if reason != "" {
		all = append(all, reason)
	}
	for _, one := range r.results {
		if partial := one.finding.Partial; partial != "" && !slices.Contains(all, partial) && len(all) < maxReasons {
			all = append(all, partial)
		}
	}
	return strings.Join(all, " ")
}

const maxReasons = 3

// foundSomething reports whether a call returned something that an answer can have.
func (r *run) foundSomething() bool {
	return slices.ContainsFunc(r.results, func(one *result) bool {
		f := one.finding
		return one.text() != "" || f.Rows != nil || len(f.Queries)+len(f.Artifacts)+len(f.Citations) > 0
	})
}

// found returns the texts of what the tools found or, without any, the reason why
// there is no answer.
func (r *run) found(reason string) string {
	var texts []string
	for _, one := range r.results {
		text := firstText(one.text())
		if text == "" && one.finding.Rows != nil {
			text = one.finding.Rows.String()
		}
		if text != "" && !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	if len(texts) == 0 {
		return usertext.Fill(r.texts(r.ctx).NoAnswer, "reason", reason)
	}
	return r.texts(r.ctx).FoundSoFar + "\n\n" + strings.Join(texts, "\n\n")
}

// prove adds what the tools found to the answer.
func (r *run) prove(a *qed.Answer) error {
	var last *result
	for _, one := range r.results {
		f := one.finding
		a.Queries = append(a.Queries, f.Queries...)
		a.Dates = append(a.Dates, f.Dates...)
		a.Used = a.Used.And(f.Used)
		a.Citations = lists.Add(a.Citations, f.Citations...)
		for _, ref := range f.Artifacts {
			artifact, err := ref.Artifact(r.ctx)
			if errors.Is(err, qed.ErrNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			a.Artifacts = append(a.Artifacts, artifact)
		}
		if f.Rows != nil {
			last = one
		}
	}
	if last == nil {
		return nil
	}
	var err error
	a.Table, err = r.rowsOf(r.ctx, last)
	return err
}
