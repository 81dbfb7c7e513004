using System.Globalization;

namespace Jackdaw.Tests;

/// <summary>Seeds of randomised tests: fixed by default, one given by the environment variable JACKDAW_SEED to replay or to
/// explore.</summary>
internal static class Seeds
{
    public static int Of(int round) =>
        Environment.GetEnvironmentVariable("JACKDAW_SEED") is { Length: > 0 } given
            ? int.Parse(given, CultureInfo.InvariantCulture)
            : 1000 + round;
}
