package demo

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
)

// The size of the demo's pictures.
const (
	pictureWidth  = 960
	pictureHeight = 600
)

// pictures are the drawings that posts can show: a colour for every place, in
// coordinates from 0 to 1.
var pictures = map[string]func(x, y float64) color.RGBA{
	"harbour":   harbour,
	"mountains": mountains,
	"pages":     pages,
	"threads":   threads,
	"tiles":     tiles,
	"portrait":  portrait,
}

// draw returns a picture as PNG.
func draw(name string) ([]byte, error) {
	at, ok := pictures[name]
	if !ok {
		return nil, fmt.Errorf("there is no picture %q", name)
	}
	img := image.NewRGBA(image.Rect(0, 0, pictureWidth, pictureHeight))
	for py := range pictureHeight {
		for px := range pictureWidth {
			img.SetRGBA(px, py, at(float64(px)/pictureWidth, float64(py)/pictureHeight))
		}
	}
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	err := encoder.Encode(&b, img)
	return b.Bytes(), err
}

func rgb(hex uint32) color.RGBA {
	return color.RGBA{uint8(hex >> 16), uint8(hex >> 8), uint8(hex), 255}
}

// mix goes from one colour to another.
func mix(a, b color.RGBA, t float64) color.RGBA {
	t = min(max(t, 0), 1)
	one := func(x, y uint8) uint8 { return uint8(float64(x) + (float64(y)-float64(x))*t) }
	return color.RGBA{one(a.R, b.R), one(a.G, b.G), one(a.B, b.B), 255}
}

// soft is 1 inside of an edge and 0 outside, with a fine line between.
func soft(distance float64) float64 { return min(max(0.5-distance*400, 0), 1) }

// ratio makes circles round.
const ratio = float64(pictureWidth) / pictureHeight

func circle(x, y, cx, cy, r float64) float64 { return math.Hypot((x-cx)*ratio, y-cy) - r }

// harbour is an evening sun over water.
func harbour(x, y float64) color.RGBA {
	sky := mix(rgb(0x1f3a5f), rgb(0xf2a65a), y/0.62)
	c := mix(sky, rgb(0xfff1cf), soft(circle(x, y, 0.66, 0.5, 0.11)))
	if y < 0.62 {
		hill := 0.56 - 0.05*math.Sin(x*5+1) - 0.03*math.Sin(x*13)
		return mix(c, rgb(0x274060), soft(hill-y))
	}
	depth := (y - 0.62) / 0.38
	water := mix(rgb(0x3f6b8c), rgb(0x12263a), depth)
	ripple := math.Sin(y*210+9*math.Sin(x*7)) * math.Exp(-math.Abs(x-0.66)*9)
	return mix(water, rgb(0xf6c98b), ripple*(1-depth)*0.8)
}

// mountains are ridges in mist, the far ones paler.
func mountains(x, y float64) color.RGBA {
	c := mix(rgb(0xe9eef2), rgb(0xc4d4dd), y)
	c = mix(c, rgb(0xe4572e), soft(circle(x, y, 0.25, 0.26, 0.08)))
	for i := range 5 {
		n := float64(i)
		ridge := 0.36 + n*0.12 - 0.09*math.Sin(x*(3+n)+n*2.1) - 0.035*math.Sin(x*(11+2*n)+n)
		c = mix(c, mix(rgb(0xa9c0c9), rgb(0x1d3b45), n/4), soft(ridge-y))
	}
	return c
}

// pages are sheets of a record, with lines of writing.
func pages(x, y float64) color.RGBA {
	c := mix(rgb(0x2b3a42), rgb(0x3f5765), x)
	for i := range 4 {
		n := float64(i)
		left, top := 0.16+n*0.13, 0.12+n*0.05
		inside := min(x-left, left+0.3-x, y-top, top+0.66-y)
		c = mix(c, rgb(0x1c262c), soft(-inside-0.008)*0.35)
		paper := mix(rgb(0xf6f1e4), rgb(0xfffdf6), n/3)
		line := math.Mod((y-top)*24, 1)
		if inside > 0.03 && line > 0.35 && line < 0.55 && x-left < 0.2+0.07*math.Sin(math.Floor((y-top)*24)*2.7+n) {
			paper = mix(rgb(0x8b8677), rgb(0xb5523b), soft(math.Abs(math.Floor((y-top)*24)-5)-0.5))
		}
		c = mix(c, paper, soft(-inside))
	}
	return c
}

// threads run together to one, as accounts of the same day do.
func threads(x, y float64) color.RGBA {
	c := mix(rgb(0xfaf5ef), rgb(0xefe3d3), y)
	colours := []uint32{0x2a6f97, 0xe07a5f, 0x81b29a, 0x3d405b, 0xf2cc8f, 0x6d597a}
	for i, hex := range colours {
		n := float64(i)
		gather := 1 / (1 + math.Exp((x-0.55)*9))
		at := 0.5 + (n-2.5)*0.035 + gather*((n-2.5)*0.13+0.05*math.Sin(x*9+n*1.7))
		c = mix(c, rgb(hex), soft(math.Abs(y-at)-0.011))
	}
	return c
}

// tiles are a mosaic of one hue.
func tiles(x, y float64) color.RGBA {
	const across, down = 16, 10
	i, j := math.Floor(x*across), math.Floor(y*down)
	fx, fy := x*across-i, y*down-j
	shade := 0.5 + 0.5*math.Sin(i*12.9898+j*78.233+math.Sin(i*j)*3)
	c := mix(rgb(0x184e4a), rgb(0x9ad1b6), shade)
	if math.Mod(i*7+j*3, 17) == 0 {
		c = rgb(0xf4b860)
	}
	if edge := min(fx, 1-fx, fy, 1-fy); edge < 0.04 {
		return rgb(0xf3f0e7)
	}
	return c
}

// portrait is a face of plain shapes: nobody's.
func portrait(x, y float64) color.RGBA {
	c := mix(rgb(0xdfe7e2), rgb(0xb7cbbf), y)
	c = mix(c, rgb(0x3d5a6c), soft(circle(x, y, 0.5, 1.12, 0.46)))
	c = mix(c, rgb(0x2b2d33), soft(circle(x, y, 0.5, 0.38, 0.25)))
	c = mix(c, rgb(0xe9c4a6), soft(circle(x, y, 0.5, 0.45, 0.2)))
	return c
}
