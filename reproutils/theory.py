"""What mean pooling and linear CKA do to independent rows: expectations in closed form.

The model throughout is eq. 1 of paper A: token rows h_i = mu + sigma eps_i in d dimensions, with
eps_i independent and of identity covariance. Its one parameter besides the lengths is

    rho = sigma^2 d / ||mu||^2,

the noise energy of a row over the energy of the shared direction. (The paper calls rho the
anisotropy; a *more* anisotropic space, in which rows are more alike, has a *smaller* rho.)

Arguments broadcast against one another; a result for scalars is a NumPy scalar.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reproutils.errors import ReproError
from reproutils.similarity import unbiased_sq_norm

FloatArray = NDArray[np.float64]


def _argument(name: str, values: ArrayLike, minimum: float, *, strict: bool = False) -> FloatArray:
    """``values`` in float64, finite and not below ``minimum`` (above it if strict)."""
    array = np.asarray(values, dtype=np.float64)
    low = array <= minimum if strict else array < minimum
    if np.any(low) or not np.all(np.isfinite(array)):
        bound = "greater than" if strict else "at least"
        raise ReproError(f"{name} must be finite and {bound} {minimum:g}")
    return array


def _scalar(values: ArrayLike) -> FloatArray:
    unwrapped: FloatArray = np.asarray(values, dtype=np.float64)[()]
    return unwrapped


# --- expected cosine of pooled vectors ---------------------------------------------------------


def expected_cosine(m: ArrayLike, n: ArrayLike, rho: ArrayLike) -> FloatArray:
    """Eq. 3: approximate E[cos] of the means of m and of n independent rows.

    1 / (sqrt(1 + rho/m) sqrt(1 + rho/n)), the ratio of the expectations of inner product and
    norms.

    Args:
        m, n: numbers of rows, greater than 0.
        rho: sigma^2 d / ||mu||^2, at least 0.

    Raises:
        ReproError: an argument is out of range.
    """
    lengths = _argument("m", m, 0, strict=True), _argument("n", n, 0, strict=True)
    ratio = _argument("rho", rho, 0)
    return _scalar(1 / np.sqrt(1 + ratio / lengths[0]) / np.sqrt(1 + ratio / lengths[1]))


def expected_cosine_expansion(m: ArrayLike, n: ArrayLike, rho: ArrayLike) -> FloatArray:
    """Eq. 4: first-order expansion of eq. 3 in rho, 1 - rho (1/m + 1/n) / 2.

    Falls below any bound for large rho/m; useful only where rho is small beside both lengths.

    Args and raises as :func:`expected_cosine`.
    """
    lengths = _argument("m", m, 0, strict=True), _argument("n", n, 0, strict=True)
    ratio = _argument("rho", rho, 0)
    return _scalar(1 - ratio * (1 / lengths[0] + 1 / lengths[1]) / 2)


# Nodes for an integrand that is at most a half Gaussian seen out to 13 standard deviations.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(96)
_CUTOFF = 13.0


def mean_resultant(k: ArrayLike, rho: ArrayLike, d: ArrayLike) -> FloatArray:
    """E<u, mu/||mu||> for the direction u of the mean of k Gaussian rows (projected normal).

    The mean of k rows is N(mu, sigma^2/k I_d). With a = ||mu|| sqrt(k)/sigma = sqrt(k d/rho) it is
    distributed as a multiple of a e + z, e = mu/||mu||, z standard normal, and the expectation of
    <a e + z, e> / ||a e + z|| is

        f = Gamma((d+1)/2) / (sqrt(2) Gamma(d/2+1)) * a * 1F1(1/2; d/2+1; -a^2/2).

    *Derivation.* ||a e + z||^2 is a non-central chi-square, that is a chi-square with d + 2J
    degrees of freedom, J ~ Poisson(q), q = a^2/2. Tilting that mixture by one coordinate gives
    E[<a e + z, e> g(||a e + z||^2)] = a E[g(chi-square with d + 2 + 2J degrees of freedom)]. Take
    g(s) = s^(-1/2), whose expectation with v degrees of freedom is
    Gamma((v-1)/2) / (sqrt(2) Gamma(v/2)); the Poisson mean of it at v = d + 2 + 2J is
    Gamma((d+1)/2) / (sqrt(2) Gamma(d/2+1)) * exp(-q) 1F1((d+1)/2; d/2+1; q), and Kummer's
    transformation exp(-q) 1F1(b-c; b; q) = 1F1(c; b; -q), with b = d/2+1 and c = 1/2, gives f.

    *Computation.* The series overflows or cancels for large q and d. In Euler's integral for 1F1
    with c = 1/2 all Gamma functions cancel against the prefactor; substituting t = sin^2(theta),

        f = 2 sqrt(q/pi) * integral over (0, pi/2) of exp(-q sin^2 theta) cos^d theta,

    a positive integrand of width about 1/sqrt(2q+d), integrated here by Gauss-Legendre quadrature
    over 13 such widths. Laplace's method on the same integral gives 1/sqrt(1 + rho/k), the factor
    in eq. 3.

    Args:
        k: number of rows, greater than 0.
        rho: sigma^2 d / ||mu||^2, at least 0 (0 gives 1).
        d: dimension, at least 1.

    Returns:
        Values in (0, 1].

    Raises:
        ReproError: an argument is out of range.
    """
    rows, ratio, width = np.broadcast_arrays(
        _argument("k", k, 0, strict=True), _argument("rho", rho, 0), _argument("d", d, 1)
    )
    noisy = ratio > 0
    q = rows * width / (2 * np.where(noisy, ratio, 1.0))
    stop = np.minimum(np.pi / 2, _CUTOFF / np.sqrt(2 * q + width))
    theta = stop[..., None] * (_NODES + 1) / 2
    sine = np.sin(theta)
    # log cos through sin keeps the digits that matter when theta is small and d large.
    log_cosine = np.log1p(-(sine**2)) / 2
    integrand = np.exp(-q[..., None] * sine**2 + width[..., None] * log_cosine)
    integral = stop / 2 * (integrand @ _WEIGHTS)
    value = np.minimum(2 * np.sqrt(q / np.pi) * integral, 1.0)
    return _scalar(np.where(noisy, value, 1.0))


def exact_expected_cosine(m: ArrayLike, n: ArrayLike, rho: ArrayLike, d: ArrayLike) -> FloatArray:
    """Exact E[cos] of the means of m and of n independent Gaussian rows: f(m) f(n).

    Write u, v for the directions of the two pooled vectors and e for mu/||mu||. Rotations that
    keep e fixed leave the distribution of u unchanged, so E[u] has no component across e and
    E[u] = f(m) e with f from :func:`mean_resultant`; likewise E[v] = f(n) e. u and v being
    independent, E<u, v> = <E u, E v> = f(m) f(n). Both parts of the argument are needed: the
    product form fails for dependent sequences and for different means.

    Args:
        m, n: numbers of rows, greater than 0.
        rho: sigma^2 d / ||mu||^2, at least 0.
        d: dimension, at least 1.

    Returns:
        Values in (0, 1].

    Raises:
        ReproError: an argument is out of range.
    """
    return _scalar(mean_resultant(m, rho, d) * mean_resultant(n, rho, d))


def length_slope(n: ArrayLike, rho: ArrayLike) -> FloatArray:
    """Slope of one factor of eq. 3 in the logarithm of its length.

    With u = rho/n, the derivative of (1+u)^(-1/2) with respect to ln n is u (1+u)^(-3/2) / 2. It
    vanishes for u -> 0 (pooling has removed the noise) and for u -> infinity (noise alone), and
    peaks at u = 2 with 1/(3 sqrt 3) = 0.19245. The slope of E[cos] in ln n is this times the
    other factor; hence the length artefact grows as rho falls or as it rises, depending on the
    side of the peak.

    Args:
        n: number of rows, greater than 0.
        rho: sigma^2 d / ||mu||^2, at least 0.

    Raises:
        ReproError: an argument is out of range.
    """
    u = _argument("rho", rho, 0) / _argument("n", n, 0, strict=True)
    return _scalar(u / 2 * (1 + u) ** -1.5)


def estimate_rho(sq_norm_of_mean: ArrayLike, mean_sq_norm: ArrayLike, n: ArrayLike) -> FloatArray:
    """Estimate rho from n token rows by U-statistics.

    The numerator n (mean ||h||^2 - ||mean h||^2) / (n-1) is unbiased for sigma^2 d (the trace of
    the covariance, whatever its shape), the denominator
    :func:`reproutils.similarity.unbiased_sq_norm` for ||mu||^2; they add up to mean ||h||^2. The
    plug-in ratio would instead take ||mean h||^2, which exceeds ||mu||^2 by sigma^2 d / n on
    average.

    Args:
        sq_norm_of_mean: ||mean h||^2, (...).
        mean_sq_norm: mean ||h_i||^2, (...).
        n: number of rows, (...). Rows must be independent for unbiasedness: pool over a corpus.

    Returns:
        (...). NaN where n < 2 or the estimate of ||mu||^2 is not positive.

    Raises:
        ReproError: an argument is negative or not finite.
    """
    of_mean = _argument("sq_norm_of_mean", sq_norm_of_mean, 0)
    mean_sq = _argument("mean_sq_norm", mean_sq_norm, 0)
    shared = np.asarray(unbiased_sq_norm(of_mean, mean_sq, _argument("n", n, 0)))
    shared = np.where(shared > 0, shared, np.nan)
    return _scalar((mean_sq - shared) / shared)


# --- chance level of CKA -----------------------------------------------------------------------


def cka_null_level(
    n: ArrayLike, participation_ratio: ArrayLike, participation_ratio_y: ArrayLike | None = None
) -> FloatArray:
    """Approximate biased linear CKA of two independent matrices with n rows: PR / (PR + n).

    For n independent Gaussian rows with covariance S, centring leaves v = n - 1 degrees of
    freedom, and

        E||X^T Y||^2 = v tr S_x tr S_y,
        E||X^T X||^2 = (v^2 + v) tr S_x^2 + v (tr S_x)^2.

    The ratio of expectations is sqrt(PR_x/(PR_x+n)) sqrt(PR_y/(PR_y+n)) with the participation
    ratio PR = (tr S)^2 / tr S^2 (v + 1 = n), so that with equal ratios it is PR/(PR+n): near 1
    when n is small beside PR, and falling with n.

    Args:
        n: number of rows, greater than 0.
        participation_ratio: of the population covariance, greater than 0.
        participation_ratio_y: of the second side, by default that of the first.

    Raises:
        ReproError: an argument is out of range.
    """
    rows = _argument("n", n, 0, strict=True)
    first = _argument("participation_ratio", participation_ratio, 0, strict=True)
    if participation_ratio_y is None:
        return _scalar(first / (first + rows))
    second = _argument("participation_ratio_y", participation_ratio_y, 0, strict=True)
    return _scalar(np.sqrt(first / (first + rows) * (second / (second + rows))))


def participation_ratio(x: ArrayLike) -> FloatArray:
    """Participation ratio (tr S)^2 / tr S^2 of the sample covariance S of the rows of x.

    It lies between 1 and min(n - 1, d). This is the plug-in value, biased low: with isotropic rows
    it is about d n / (d + n), not d. Trust it when n is many times the result.

    Args:
        x: (..., n, d).

    Returns:
        (...): one value per layer.

    Raises:
        ReproError: fewer than two rows, all rows the same, or a value is not finite.
    """
    rows = np.asarray(x, dtype=np.float64)
    if rows.ndim < 2 or rows.shape[-2] < 2 or rows.shape[-1] < 1:
        raise ReproError(f"x has shape {rows.shape}; expected (..., rows, width), rows at least 2")
    if not np.all(np.isfinite(rows)):
        raise ReproError("x holds a value that is not finite; mend its source")
    n, d = rows.shape[-2:]
    values = np.empty(rows.shape[:-2])
    for index in np.ndindex(values.shape):
        layer = rows[index]
        centred = layer - layer.mean(axis=0)
        energy = float(np.vdot(centred, centred))
        if energy <= (n * np.finfo(np.float64).eps) ** 2 * float(np.vdot(layer, layer)):
            place = f" at layer {', '.join(map(str, index))}" if index else ""
            raise ReproError(f"x is constant{place}: all {n} rows are the same")
        product = centred @ centred.T if n < d else centred.T @ centred
        values[index] = energy**2 / np.vdot(product, product)
    return _scalar(values)
