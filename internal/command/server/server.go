// Package server serves HTTP until the program is asked to end.
package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Run serves requests until ctx is done, and logs why it ends. Then it calls the
// functions of end, such as the Shutdown of a handler, with a context that ends after
// wait. It is no error if they reach this limit: a turn that is cut off can be resumed.
func Run(
	ctx context.Context, l net.Listener, h http.Handler, wait time.Duration, end ...func(context.Context) error,
) error {
	server := &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	slog.Info("the server ends", "reason", context.Cause(ctx), "wait", wait)
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), wait)
	defer cancel()
	var errs []error
	for _, f := range end {
		if err := f(limit); !errors.Is(err, context.DeadlineExceeded) {
			errs = append(errs, err)
		}
	}
	errs = append(errs, server.Close()) // the streams have ended
	<-ended
	slog.Info("the server has ended")
	return errors.Join(errs...)
}
