package toolagent

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/internal/asking"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
)

// finish returns the answer of a turn whose loop has ended.
func (r *run) finish(end *ending) (qed.Answer, error) {
	a := qed.Answer{Text: end.text}
	streamed := false
	if a.Text == "" && end.cause == nil {
		var err error
		if a.Text, end.reason, err = r.wrapUp(end.reason); err != nil {
			return a, err
		}
		streamed = a.Text != ""
	}
	if a.Text == "" {
		end.reason = firstText(end.reason, reasonReply)
		a.Text = r.found(end.reason)
	}
	if !streamed {
		qed.Emit(r.ctx, qed.Token{Channel: qed.ChannelFinal, Content: a.Text})
	}
	a.Usage = r.usage
	a.PartialReason = r.reasons(end.reason)
	a.Partial = a.PartialReason != ""
	return a, r.prove(&a)
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
	return strings.Join(all, "; ")
}

const maxReasons = 3

// foundSomething reports whether a call returned something that an answer can have.
func (r *run) foundSomething() bool {
	return slices.ContainsFunc(r.results, func(one *result) bool {
		f := &one.finding
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
		return noAnswer + reason + "."
	}
	return foundSoFar + "\n\n" + strings.Join(texts, "\n\n")
}

// prove adds what the tools found to the answer.
func (r *run) prove(a *qed.Answer) error {
	var last *rowsRef
	for _, one := range r.results {
		f := &one.finding
		a.Queries = append(a.Queries, f.Queries...)
		for _, c := range f.Citations {
			if !slices.Contains(a.Citations, c) {
				a.Citations = append(a.Citations, c)
			}
		}
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
			last = f.Rows
		}
	}
	if last == nil {
		return nil
	}
	table, err := last.Table(r.ctx)
	if errors.Is(err, qed.ErrNotFound) {
		table, err = &last.Sample, nil
	}
	a.Table = table
	return err
}

// wrapUp asks for an answer from what was found, without tools. It returns the
// answer, which is empty if the request fails after something was found, and why it
// is partial.
func (r *run) wrapUp(reason string) (text, why string, err error) {
	ctx := qed.WithPath(budget.ForFinalAnswer(r.ctx), "wrap_up")
	req, err := r.wrapUpRequest(ctx, reason)
	if err != nil {
		return "", "", err
	}
	// A resumed run may end in another step. Its request is then another call.
	hash, err := req.Hash()
	if err != nil {
		return "", "", err
	}
	text, err = r.model.Text(qed.WithPath(ctx, hash[:12]), &r.usage, req, func(piece string) {
		qed.Emit(r.ctx, qed.Token{Channel: qed.ChannelFinal, Content: piece})
	})
	switch {
	case err == nil:
		return text, reason, nil
	case r.ctx.Err() != nil:
		return "", "", err
	case asking.Unusable(err) || text != "" && isModelError(err):
		return text, firstText(reason, reasonCut), nil
	case isModelError(err) && r.foundSomething():
		return "", firstText(reason, reasonModel), nil
	}
	return "", "", err
}

// isModelError reports whether err is that of a model or of a budget, after which an
// answer of what was found is still right.
func isModelError(err error) bool {
	_, failed := errors.AsType[*llm.Error](err)
	return failed || errors.Is(err, budget.ErrExceeded)
}

// wrapUpRequest returns the request of wrapUp. If the budget has few tokens left, the
// findings and the reply are short.
func (r *run) wrapUpRequest(ctx context.Context, reason string) (*llm.Request, error) {
	// What is left differs when a run is resumed, and the request must not.
	left, err := qed.Step(ctx, "size_"+strconv.Itoa(r.steps), nil, func(ctx context.Context) (int, error) {
		rest, _ := budget.Remaining(ctx)
		return rest.Tokens, nil
	})
	if err != nil {
		return nil, err
	}
	data := WrapUpData{Instructions: r.opt.Instructions, Today: r.today, Question: r.question, Reason: reason}
	room := r.opt.MaxContextTokens
	if left > 0 {
		room = min(room, left*2/3)
	}
	for most := r.opt.MaxResultBytes * 2; ; most /= 2 {
		data.Findings = nil
		for _, one := range r.results {
			if one.same == nil {
				data.Findings = append(data.Findings, one.forPrompt(prompt.Clip(one.content, most)))
			}
		}
		text, err := r.model.Render("wrap_up", r.opt.Prompts.WrapUp, data)
		if err != nil {
			return nil, err
		}
		messages := append(slices.Clone(r.messages[1:r.before]), llm.Message{Role: llm.RoleUser, Content: text})
		req := r.model.Send("wrap_up", messages...)
		sent := llm.EstimateTokens(req)
		if sent > room && most > minFinding {
			continue
		}
		if left > 0 && req.MaxOutputTokens > left-sent {
			req.MaxOutputTokens = max(minReply, left-sent)
		}
		return req, nil
	}
}

const (
	minFinding = 64 // bytes of a result in the last prompt
	minReply   = 64 // tokens
)
