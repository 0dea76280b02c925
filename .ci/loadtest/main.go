// Command loadtest measures HTTP servers from a process of its own, each in turn
// and several times over, and compares them with the first.
//
//	loadtest [-for 3s] [-clients 32] [-rounds 3] [-bar 3] name=url[,header…] …
//
// It prints requests a second, the median and the 99th percentile of the time to
// the last byte, and the ratio to the first target; below the bar it exits 1.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
	"time"
)

func main() {
	duration := flag.Duration("for", 3*time.Second, "how long each target is measured in a round")
	clients := flag.Int("clients", 32, "concurrent connections")
	rounds := flag.Int("rounds", 3, "how often the targets take turns; the best round counts")
	bar := flag.Float64("bar", 0, "the least ratio to the first target")
	flag.Parse()
	if err := run(flag.Args(), *duration, *clients, *rounds, *bar); err != nil {
		log.Fatal(err)
	}
}

func run(args []string, duration time.Duration, clients, rounds int, bar float64) error {
	var targets []*target
	for _, arg := range args {
		t, err := parse(arg)
		if err != nil {
			return err
		}
		targets = append(targets, t)
	}
	for range rounds {
		for _, t := range targets {
			m, err := measure(t, duration, clients)
			if err != nil {
				return fmt.Errorf("%s: %w", t.name, err)
			}
			if m.rate > t.best.rate {
				t.best = m
			}
		}
	}
	return report(targets, bar)
}

func report(targets []*target, bar float64) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "target\trequests/s\tp50\tp99\tbytes\tratio\t")
	var missed error
	for i, t := range targets {
		ratio := t.best.rate / targets[0].best.rate
		fmt.Fprintf(w, "%s\t%.0f\t%v\t%v\t%d\t%.1f\t\n", t.name, t.best.rate, t.best.p50.Round(time.Microsecond), t.best.p99.Round(time.Microsecond), t.best.size, ratio)
		if i > 0 && ratio < bar {
			missed = errors.Join(missed, fmt.Errorf("%s is %.1f times %s, below %.1f", t.name, ratio, targets[0].name, bar))
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return missed
}

// target is one address with the bytes that ask for it.
type target struct {
	name, host string
	request    []byte
	best       measured
}

// measured is one round of one target.
type measured struct {
	rate     float64
	p50, p99 time.Duration
	size     int // of one answer's body
}

func parse(arg string) (*target, error) {
	name, rest, ok := strings.Cut(arg, "=")
	parts := strings.Split(rest, ",")
	u, err := url.Parse(parts[0])
	if !ok || err != nil || u.Host == "" {
		return nil, fmt.Errorf("%q is not name=url", arg)
	}
	request := "GET " + u.RequestURI() + " HTTP/1.1\r\nHost: " + u.Host + "\r\n"
	for _, header := range parts[1:] {
		request += header + "\r\n"
	}
	return &target{name: name, host: u.Host, request: []byte(request + "\r\n")}, nil
}

// measure asks over so many connections until the time is over.
func measure(t *target, duration time.Duration, clients int) (measured, error) {
	var (
		mu    sync.Mutex
		times []time.Duration
		size  int
		fault error
		all   sync.WaitGroup
	)
	begin := time.Now()
	for range clients {
		all.Go(func() {
			took, n, err := client(t, begin.Add(duration))
			mu.Lock()
			defer mu.Unlock()
			times, size = append(times, took...), n
			if err != nil {
				fault = err
			}
		})
	}
	all.Wait()
	elapsed := time.Since(begin)
	if fault != nil {
		return measured{}, fault
	}
	slices.Sort(times)
	at := func(q float64) time.Duration { return times[int(q*float64(len(times)-1))] }
	return measured{rate: float64(len(times)) / elapsed.Seconds(), p50: at(0.5), p99: at(0.99), size: size}, nil
}

// client sends one request after the other on one connection. It reads answers
// by hand: net/http's client would cost more than the servers that it measures.
func client(t *target, until time.Time) (took []time.Duration, size int, err error) {
	conn, err := net.Dial("tcp", t.host)
	if err != nil {
		return nil, 0, err
	}
	defer conn.Close()
	r := bufio.NewReaderSize(conn, 32<<10)
	for now := time.Now(); now.Before(until); {
		if _, err := conn.Write(t.request); err != nil {
			return took, size, err
		}
		if size, err = answer(r); err != nil {
			return took, size, err
		}
		end := time.Now()
		took = append(took, end.Sub(now))
		now = end
	}
	return took, size, nil
}

// answer reads one answer, which must be a 200, and returns the size of its body.
func answer(r *bufio.Reader) (int, error) {
	status, err := r.ReadString('\n')
	if err != nil {
		return 0, err
	}
	if !strings.HasPrefix(status, "HTTP/1.1 200") {
		return 0, fmt.Errorf("answers %q", strings.TrimSpace(status))
	}
	length := -1
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		if len(line) == 2 {
			break
		}
		if name, value, _ := strings.Cut(string(line), ":"); strings.EqualFold(name, "Content-Length") {
			if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil {
				return 0, err
			}
		}
	}
	if length >= 0 {
		return r.Discard(length)
	}
	return chunks(r)
}

// chunks reads a body that comes in parts.
func chunks(r *bufio.Reader) (int, error) {
	total := 0
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return total, err
		}
		n, err := strconv.ParseInt(strings.TrimSpace(line), 16, 32)
		if err != nil {
			return total, err
		}
		if _, err := io.CopyN(io.Discard, r, n+2); err != nil {
			return total, err
		}
		if total += int(n); n == 0 {
			return total, nil
		}
	}
}
