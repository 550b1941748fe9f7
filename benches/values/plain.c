// What a programmer writes first: plain loops, without annotations.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void dilate(int64_t h, int64_t w, const uint8_t *x, uint8_t *out) {
    int64_t n = w + 2;
    for (int64_t y = 0; y < h; y++)
        for (int64_t z = 0; z < w; z++) {
            uint8_t m = 0;
            for (int r = 0; r < 3; r++)
                for (int s = 0; s < 3; s++) {
                    uint8_t v = x[(y + r) * n + z + s];
                    m = v > m ? v : m;
                }
            out[y * w + z] = m;
        }
}

void box(int64_t h, int64_t w, const uint16_t *x, uint16_t *out) {
    int64_t n = w + 2;
    for (int64_t y = 0; y < h; y++)
        for (int64_t z = 0; z < w; z++) {
            uint32_t sum = 0;
            for (int r = 0; r < 3; r++)
                for (int s = 0; s < 3; s++) sum += x[(y + r) * n + z + s];
            out[y * w + z] = sum / 9;
        }
}

void sobel(int64_t h, int64_t w, const uint8_t *x, int16_t *out) {
    int64_t n = w + 2;
    for (int64_t y = 0; y < h; y++)
        for (int64_t z = 0; z < w; z++) {
            const uint8_t *a = x + y * n + z, *b = a + n, *c = b + n;
            int across = a[2] - a[0] + 2 * (b[2] - b[0]) + c[2] - c[0];
            int down = c[0] - a[0] + 2 * (c[1] - a[1]) + c[2] - a[2];
            out[y * w + z] = abs(across) + abs(down);
        }
}

void gauss(int64_t h, int64_t w, const uint8_t *x, uint8_t *out) {
    static const uint16_t k[5] = {1, 4, 6, 4, 1};
    int64_t n = w + 4;
    uint16_t *row = malloc(n * sizeof *row);
    for (int64_t y = 0; y < h; y++) {
        for (int64_t z = 0; z < n; z++) {
            uint16_t sum = 0;
            for (int r = 0; r < 5; r++) sum += k[r] * x[(y + r) * n + z];
            row[z] = sum;
        }
        for (int64_t z = 0; z < w; z++) {
            uint16_t sum = 0;
            for (int s = 0; s < 5; s++) sum += k[s] * row[z + s];
            out[y * w + z] = (uint16_t)(sum + 128) >> 8;
        }
    }
    free(row);
}

void unsharp(int64_t h, int64_t w, const uint8_t *x, uint8_t *out) {
    int64_t n = w + 2;
    int16_t *row = malloc(n * sizeof *row);
    for (int64_t y = 0; y < h; y++) {
        for (int64_t z = 0; z < n; z++) row[z] = x[y * n + z] + 2 * x[(y + 1) * n + z] + x[(y + 2) * n + z];
        for (int64_t z = 0; z < w; z++) {
            int blurred = (row[z] + 2 * row[z + 1] + row[z + 2] + 8) >> 4;
            int v = 2 * x[(y + 1) * n + z + 1] - blurred;
            out[y * w + z] = v < 0 ? 0 : v > 255 ? 255 : v;
        }
    }
    free(row);
}

void histogram(int64_t n, const uint8_t *x, int32_t *out) {
    memset(out, 0, 256 * sizeof *out);
    for (int64_t i = 0; i < n; i++) out[x[i]]++;
}

void bytes_product(int64_t m, int64_t k, int64_t n, const int8_t *a, const int8_t *b, int32_t *out) {
    memset(out, 0, m * n * sizeof *out);
    for (int64_t i = 0; i < m; i++)
        for (int64_t p = 0; p < k; p++)
            for (int64_t j = 0; j < n; j++) out[i * n + j] += a[i * k + p] * b[p * n + j];
}

void argmax(int64_t n, int64_t m, const float *x, int32_t *out) {
    for (int64_t i = 0; i < n; i++) {
        int32_t at = 0;
        for (int64_t j = 1; j < m; j++)
            if (x[i * m + j] > x[i * m + at]) at = j;
        out[i] = at;
    }
}

void welford(int64_t n, const double *x, double *mean, double *squares) {
    double m = 0, s = 0;
    for (int64_t i = 0; i < n; i++) {
        double d = x[i] - m;
        m += d / (i + 1);
        s += d * (x[i] - m);
    }
    *mean = m;
    *squares = s;
}

void camera(int64_t h, int64_t w, const uint16_t *raw, const float *matrix, const uint8_t *gamma, uint8_t *out) {
    for (int64_t y = 0; y < h; y++)
        for (int64_t x = 0; x < w; x++) {
            int light[4];
            for (int k = 0; k < 4; k++) {
                int v = raw[(2 * y + k / 2) * 2 * w + 2 * x + k % 2];
                light[k] = (v > 256 ? v : 256) - 256;
            }
            float rgb[3] = {light[0], (light[1] + light[2]) / 2, light[3]};
            for (int c = 0; c < 3; c++) {
                float sum = 0;
                for (int k = 0; k < 3; k++) sum += matrix[3 * c + k] * rgb[k];
                int v = sum;
                out[(y * w + x) * 3 + c] = gamma[(v < 0 ? 0 : v > 65535 ? 65535 : v) / 64];
            }
        }
}
