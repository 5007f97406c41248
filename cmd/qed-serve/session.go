package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/serve"
)

// A session has the settings of the database's session that requests decide: the source
// of each, by its name.
type session map[string]source

// A source is a part of a request: "user_id", "company_id" or "header:NAME".
type source string

func (s source) header() (name string, ok bool) { return strings.CutPrefix(string(s), "header:") }

func (s session) add(text string) error {
	name, from, _ := strings.Cut(text, "=")
	header, isHeader := source(from).header()
	switch {
	case name == "":
		return errors.New("it must be such as company=company_id")
	case s[name] != "":
		return fmt.Errorf("the setting %s has two sources", name)
	case isHeader && header != "", from == "user_id", from == "company_id":
		s[name] = source(from)
		return nil
	}
	return fmt.Errorf("the source %q is none of user_id, company_id and header:NAME", from)
}

type headersKey struct{}

func (s session) context(r *http.Request) context.Context {
	return context.WithValue(r.Context(), headersKey{}, r.Header)
}

// checkHeaders returns an error for a request that lacks a header. The user and the
// company are in its body.
func (s session) checkHeaders(r *http.Request) error {
	for name, from := range s {
		if header, ok := from.header(); ok && only(r.Header, header) == "" {
			return &serve.Error{Status: http.StatusBadRequest, Code: "no_session",
				Message: fmt.Sprintf("the request needs one header %s, which decides what the user may read", header),
				Err:     fmt.Errorf("-session %s=%s", name, from)}
		}
	}
	return nil
}

// only returns the value of a header that a request has once, or "".
func only(h http.Header, name string) string {
	if all := h.Values(name); len(all) == 1 {
		return all[0]
	}
	return ""
}

// values returns the settings of the turn that a context belongs to. A setting without a
// value is an error: NULL can mean that a user is not restricted.
func (s session) values(ctx context.Context) (map[string]any, error) {
	return s.of(ctx, qed.Info(ctx).Turn)
}

func (s session) of(ctx context.Context, turn qed.Turn) (map[string]any, error) {
	headers, _ := ctx.Value(headersKey{}).(http.Header)
	all := map[string]any{}
	for name, from := range s {
		value := ""
		switch header, ok := from.header(); {
		case ok:
			value = only(headers, header)
		case from == "user_id":
			value = turn.User
		case from == "company_id":
			value = turn.Tenant
		}
		if value == "" {
			return nil, fmt.Errorf("the request has no %s, which the setting %s of the session needs (-session)", from, name)
		}
		all[name] = value
	}
	return all, nil
}

// required returns an agent that refuses turns without a value for each setting, before
// it asks the model.
func (s session) required(agent qed.Agent) qed.Agent {
	if len(s) == 0 {
		return agent
	}
	return checkedAgent{agent, s}
}

type checkedAgent struct {
	qed.Agent
	session session
}

func (c checkedAgent) Run(ctx context.Context, turn qed.Turn) iter.Seq2[qed.Event, error] {
	if _, err := c.session.of(ctx, turn); err != nil {
		return qed.AgentFunc(func(context.Context, qed.Turn) (qed.Answer, error) { return qed.Answer{}, err }).Run(ctx, turn)
	}
	return c.Agent.Run(ctx, turn)
}
