using System.Globalization;

namespace Jackdaw.Storage.Tests;

/// <summary>Seeds of randomised tests: fixed ones, or the one in JACKDAW_SEED.</summary>
internal static class Seed
{
    public static IEnumerable<int> Some(int count)
    {
        string? given = Environment.GetEnvironmentVariable("JACKDAW_SEED");
        return given is null ? Enumerable.Range(1, count) : [int.Parse(given, CultureInfo.InvariantCulture)];
    }
}
