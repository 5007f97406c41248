package mcpkit

import (
	"cmp"
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

// A Dialer returns a new transport for each connection, because neither a transport
// nor a command can be used twice. It must not connect.
//
// Only the transports of the SDK show whether a call was sent. With another transport
// the outcome of a failed call is never known, so it is not made again on a new
// connection.
type Dialer func() mcp.Transport

// maxMessage limits one message of a server, in bytes. It is the SDK's limit for
// commands.
const maxMessage = mcp.DefaultMaxLineLength

// stopWait is how long a process may take to end by itself, and again after SIGTERM.
const stopWait = 2 * time.Second

// Command returns a Dialer that runs a command and uses its standard input and
// output. newCommand returns a new command for each connection, not started.
//
// A nil Env means HOME, LANG, LOGNAME, PATH, SHELL, TERM, TMPDIR, TZ and USER of this
// process (and what Windows needs). Other variables may hold keys and passwords: set
// Env to what the server needs, or to os.Environ() for all.
//
// When the connection ends, the input of the process is closed. After two seconds
// the process gets SIGTERM, and after two more seconds it is killed.
func Command(newCommand func() *exec.Cmd) Dialer {
	return func() mcp.Transport {
		cmd := newCommand()
		if cmd.Env == nil {
			cmd.Env = plainEnvironment()
		}
		cmd.WaitDelay = cmp.Or(cmd.WaitDelay, stopWait) // a child of the process may keep its pipes open
		return &mcp.CommandTransport{Command: cmd, TerminateDuration: stopWait}
	}
}

// plainEnvironment returns the variables that a program needs to run, without
// secrets.
func plainEnvironment() []string {
	env := []string{} // nil would mean the whole environment
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

// HTTP returns a Dialer for the streamable HTTP endpoint of a server. A nil client
// means a client like [http.DefaultClient]. The client's Transport can add headers:
// requests of a call have the context of the call.
//
// Redirects to another host are refused, unless the client has a CheckRedirect. The
// client must not have a Timeout, because streams last as long as the connection.
func HTTP(endpoint string, client *http.Client) Dialer {
	var own http.Client
	if client != nil {
		own = *client
	}
	own.Transport = cmp.Or(own.Transport, http.DefaultTransport)
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

// limited limits the bodies that the SDK reads as a whole. The SDK limits the events
// of a stream.
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
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left+1)])
	if b.left -= n; b.left < 0 {
		b.left = 0
		return 0, fmt.Errorf("mcpkit: a message is larger than %d bytes", maxMessage)
	}
	return n, err
}
