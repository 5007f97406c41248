package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
)

// ofReference is a request of a service that has authenticated its user.
const ofReference = `{"input":{"message":"What is the weather?"},
	"conversation":{"id":"conv-uuid-123","user_id":"user-456","company_id":"company-789"}}`

// TestAccess sends the request of a service to programs that trust it and to one that does
// not.
func TestAccess(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		env    map[string]string
		args   []string
		header []string
		status int
		text   string
	}{
		{"nothing is trusted", nil, nil, nil, http.StatusForbidden, "-trust-local"},
		{"this machine is trusted", nil, []string{"-trust-local"}, nil, http.StatusOK, `"event":"complete"`},
		{"forwarded", nil, []string{"-trust-local"}, []string{"X-Forwarded-For", "192.0.2.7"}, http.StatusForbidden, "QED_SERVE_TOKEN"},
		{"no token", map[string]string{"QED_SERVE_TOKEN": "right"}, nil, nil, http.StatusUnauthorized, "Authorization: Bearer TOKEN"},
		{"a wrong token", map[string]string{"QED_SERVE_TOKEN": "right"}, nil, []string{"Authorization", "Bearer wrong"}, http.StatusUnauthorized, "QED_SERVE_TOKEN"},
		{"the token", map[string]string{"QED_SERVE_TOKEN": "right"}, nil, []string{"Authorization", "Bearer right"}, http.StatusOK, `"event":"complete"`},
	} {
		s := newSite(t, tt.env)
		p := s.launch(t, tt.args...)
		if p.address == "" {
			t.Fatal(p.log.String())
		}
		if status, text := p.post(t, ofReference, tt.header...); status != tt.status || !strings.Contains(text, tt.text) {
			t.Errorf("%s: status %d: %s", tt.name, status, text)
		}
		p.kill()
	}
}

// TestWrongFlags starts the program with flags that contradict each other.
func TestWrongFlags(t *testing.T) {
	t.Parallel()
	token := map[string]string{"QED_SERVE_TOKEN": "right"}
	for _, tt := range []struct {
		name string
		env  map[string]string
		args []string
		want string
	}{
		{"two rules", token, []string{"-trust-local"}, "exclude each other"},
		{"a session in SQLite", token, []string{"-session", "a=user_id"}, "SQLite has no settings of a session"},
		{"no setting", token, []string{"-session", "=user_id"}, "company=company_id"},
		{"no source", token, []string{"-session", "a"}, "none of user_id"},
		{"an unknown source", token, []string{"-session", "a=user"}, "none of user_id"},
		{"no header", token, []string{"-session", "a=header:"}, "none of user_id"},
		{"two sources", token, []string{"-session", "a=user_id", "-session", "a=company_id"}, "two sources"},
		{"no documents", nil, []string{"-docs", "missing"}, "missing"},
		{"a folder without documents", nil, []string{"-docs", "empty"}, "no documents"},
		{"no file of verified questions", nil, []string{"-verified", "none/there.jsonl"}, "none/there.jsonl"},
		{"a store that is a folder", nil, []string{"-store", "empty"}, "stored"},
		{"a store below a file", nil, []string{"-store", "text/x.db"}, "stored"},
		{"a store that is not a database", nil, []string{"-store", "text"}, "text"},
		{"a store that is down", nil, []string{"-store", "mysql://root:hunter2@127.0.0.1:1/app"}, "127.0.0.1:1"},
		{"another server", nil, []string{"-store", "oracle://me:hunter2@localhost/app"}, "oracle"},
	} {
		s := newSite(t, tt.env)
		s.write(t, "empty/picture.png", "")
		s.write(t, "text", "hello, this is not a database")
		p := s.launch(t, tt.args...)
		if p.address != "" || !strings.Contains(p.log.String(), tt.want) || strings.Contains(p.log.String(), "hunter2") {
			t.Errorf("%s: %s", tt.name, p.log.String())
		}
	}
	o := options{session: session{"a": "user_id"}}
	if _, err := o.caller(""); err == nil || !strings.Contains(err.Error(), "-session needs QED_SERVE_TOKEN") {
		t.Errorf("a session that anybody can choose: %v", err)
	}
}

// TestSession checks the settings that requests decide, and who is refused before a model is
// asked.
func TestSession(t *testing.T) {
	s := session{}
	for _, text := range []string{"app.user=user_id", "app.company=company_id", "app.ids=header:X-Ids"} {
		if err := s.add(text); err != nil {
			t.Fatal(err)
		}
	}
	for name, tt := range map[string]struct {
		turn    qed.Turn
		headers []string
		want    map[string]any
		missing string
	}{
		"all":         {qed.Turn{User: "ann", Tenant: "acme"}, []string{"1,2"}, map[string]any{"app.user": "ann", "app.company": "acme", "app.ids": "1,2"}, ""},
		"no user":     {qed.Turn{Tenant: "acme"}, []string{"1,2"}, nil, "user_id"},
		"no company":  {qed.Turn{User: "ann"}, []string{"1,2"}, nil, "company_id"},
		"no header":   {qed.Turn{User: "ann", Tenant: "acme"}, nil, nil, "X-Ids"},
		"two headers": {qed.Turn{User: "ann", Tenant: "acme"}, []string{"1", "2"}, nil, "X-Ids"},
	} {
		r := httptest.NewRequest(http.MethodPost, "/", nil)
		r.Header["X-Ids"] = tt.headers
		var got map[string]any
		agent := s.required(qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (a qed.Answer, err error) {
			got, err = s.values(ctx)
			return a, err
		}))
		_, err := qed.Ask(s.context(r), agent, tt.turn)
		if diff := cmp.Diff(tt.want, got); diff != "" || (err == nil) != (tt.missing == "") ||
			err != nil && !strings.Contains(err.Error(), tt.missing) {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
		if refused := s.checkHeaders(r) != nil; refused != (tt.missing == "X-Ids") {
			t.Errorf("%s: refused: %v", name, refused)
		}
	}
}
