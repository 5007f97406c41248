package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// A Caller is who sends a request. Its ids become User and Tenant of a
// [qed.Turn]. The zero value is a caller without an id.
type Caller struct {
	User, Tenant string

	// Backend reports that the caller is a service of the host, which has
	// authenticated its own users. The service names the user and the company of each
	// request, in the body of /internal/chat/stream or elsewhere with the query
	// parameters user_id and company_id. If the service runs on the same machine and
	// sends no token, check with [Local] that the request is not from elsewhere.
	Backend bool
}

// Local returns an error if a request may come from another machine: it has another
// address or another value of the header Host or Origin, or a proxy forwarded it.
// Without [Options].Caller only local requests are served. Return the error from a
// Caller that treats local requests differently.
func Local(r *http.Request) error {
	if problem := remote(r); problem != "" {
		return &Error{Status: http.StatusForbidden, Code: "not_local",
			Message: "this server answers requests from its own machine only: " + problem + "; to serve others, " +
				"set serve.Options.Caller, or QED_SERVE_TOKEN of qed-serve"}
	}
	return nil
}

// admit checks a request before it is looked at.
func (h *Handler) admit(r *http.Request) error {
	probe := *r
	probe.Method = http.MethodPost // a GET can resume a turn
	if err := h.opt.CrossOrigin.Check(&probe); err != nil {
		return &Error{Status: http.StatusForbidden, Code: "cross_origin",
			Message: "requests from other sites are not allowed", Err: err}
	}
	if h.opt.Caller != nil {
		return nil
	}
	return Local(r)
}

// isForwarding reports whether a header has a name that proxies use, or one that
// looks like it: no list of these names is complete.
func isForwarding(name string) bool {
	name = strings.ReplaceAll(strings.ToLower(name), "_", "-")
	return name == "via" || name == "cdn-loop" || strings.Contains(name, "forward") ||
		strings.HasPrefix(name, "cf-") || strings.HasPrefix(name, "x-original-") || strings.HasPrefix(name, "x-rewrite-") ||
		strings.HasPrefix(name, "x-envoy-") || strings.HasPrefix(name, "x-remote-") || strings.HasPrefix(name, "x-host") ||
		strings.HasSuffix(name, "-ip") || strings.HasSuffix(name, "-addr") || strings.HasSuffix(name, "clientip")
}

// remote returns why a request is not one of this machine, or "".
func remote(r *http.Request) string {
	for name := range r.Header {
		if isForwarding(name) {
			return "the header " + name + " says that the request was forwarded"
		}
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !peer.Addr().Unmap().IsLoopback() {
		return "the request comes from another address"
	}
	if !isLocal(r.Host) {
		return "the header Host is not localhost or a loopback address"
	}
	for _, origin := range r.Header.Values("Origin") {
		_, host, ok := strings.Cut(origin, "://")
		if !ok || !isLocal(host) {
			return "the header Origin is not localhost or a loopback address"
		}
	}
	return ""
}

// isLocal reports whether a host, with or without a port, is this machine. A name
// that an attacker's DNS resolves to a loopback address is not.
func isLocal(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	} else if strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]") {
		host = host[1 : len(host)-1]
	}
	if strings.EqualFold(strings.TrimSuffix(host, "."), "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

// caller returns who sends a request, and the context of its turn.
func (h *Handler) caller(r *http.Request) (ctx context.Context, c Caller, err error) {
	if h.opt.Caller == nil {
		return r.Context(), Caller{}, nil
	}
	defer func() {
		if v := recover(); v != nil {
			err = &Error{Status: http.StatusInternalServerError, Err: fmt.Errorf("serve: Options.Caller panicked: %v", v)}
		}
	}()
	ctx, c, err = h.opt.Caller(r)
	if own, ok := errors.AsType[*Error](err); ok {
		return nil, Caller{}, own
	}
	if err != nil {
		return nil, Caller{}, &Error{Status: http.StatusUnauthorized, Code: "unauthorized",
			Message: "the request is not authenticated", Err: err}
	}
	ctx = cmp.Or(ctx, r.Context())
	return ctx, c, nil
}

// named returns the caller that the address of a request names if it is from a
// backend, and otherwise the caller itself.
func (h *Handler) named(r *http.Request) (context.Context, Caller, error) {
	ctx, c, err := h.caller(r)
	if err == nil && c.Backend {
		c = namedBy(r)
	}
	if err == nil {
		err = c.check()
	}
	return ctx, c, err
}

// namedBy returns the caller that a backend names in the address of a request.
func namedBy(r *http.Request) Caller {
	q := r.URL.Query()
	return Caller{User: q.Get("user_id"), Tenant: q.Get("company_id")}
}
