package mcpkit

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"os/exec"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Dialer makes the transport of a connection: a new one for each, as neither a
// transport nor a command can be used twice. It must not connect yet.
//
// What is sent by a transport that is not the SDK's own cannot be counted: of a call that failed
// there it is never known that it was not made, so it is not made again on another connection.
type Dialer func() mcp.Transport

// maxMessage limits one message of a server, in bytes. It is what the SDK takes of a command.
const maxMessage = mcp.DefaultMaxLineLength

// stopWait is how long a process may take to end by itself, and again once it got SIGTERM.
const stopWait = 2 * time.Second

// Command returns a Dialer that runs a command and speaks with it over its standard
// input and output. newCommand returns it, not started, a new one for each connection.
//
// A nil Env means HOME, LANG, LOGNAME, PATH, SHELL, TERM, TMPDIR, TZ and USER of this
// process (and what Windows needs), and nothing else of its environment, where keys and
// passwords are. Give what the server needs, or all by os.Environ.
//
// When the connection ends, so does the process: its input is closed, after two
// seconds it gets SIGTERM, and after two more it is killed.
func Command(newCommand func() *exec.Cmd) Dialer {
	return func() mcp.Transport {
		cmd := newCommand()
		if cmd.Env == nil {
			cmd.Env = plainEnvironment()
		}
		if cmd.WaitDelay == 0 {
			cmd.WaitDelay = stopWait // a grandchild may hold the pipes of one that has ended
		}
		return &mcp.CommandTransport{Command: cmd, TerminateDuration: stopWait}
	}
}

// plainEnvironment is what a program needs to run, and no secret.
func plainEnvironment() []string {
	env := []string{} // not nil, which would mean all
	for _, name := range []string{
		"HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER",
		"APPDATA", "LOCALAPPDATA", "PATHEXT", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERPROFILE",
	} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// HTTP returns a Dialer for the streamable HTTP endpoint of a server. A nil client means one
// like [http.DefaultClient]. Its Transport is where headers are added: requests of a call have the
// call's context.
//
// Redirects to another host are refused, unless the client has a CheckRedirect of its own.
// The client must not have a Timeout: streams last as long as the connection.
func HTTP(endpoint string, client *http.Client) Dialer {
	var own http.Client
	if client != nil {
		own = *client
	}
	if own.Transport == nil {
		own.Transport = http.DefaultTransport
	}
	if own.CheckRedirect == nil {
		own.CheckRedirect = sameHost
	}
	return func() mcp.Transport {
		client := own
		client.Transport = limited{own.Transport}
		return &mcp.StreamableClientTransport{Endpoint: endpoint, HTTPClient: &client, MaxEventSize: maxMessage}
	}
}

func sameHost(req *http.Request, via []*http.Request) error {
	if first := via[0].URL; req.URL.Host != first.Host || req.URL.Scheme != first.Scheme {
		return errors.New("mcpkit: a redirect to another host is refused")
	}
	if len(via) >= 10 {
		return errors.New("mcpkit: too many redirects")
	}
	return nil
}

// limited limits the bodies that the SDK reads as a whole. It limits the events of a stream itself.
type limited struct{ http.RoundTripper }

func (l limited) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := l.RoundTripper.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if kind != "text/event-stream" || resp.StatusCode/100 != 2 {
		resp.Body = &limitedBody{ReadCloser: resp.Body, left: maxMessage}
	}
	return resp, nil
}

type limitedBody struct {
	io.ReadCloser
	left int
}

func (b *limitedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("mcpkit: a message is larger than %d bytes", maxMessage)
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
