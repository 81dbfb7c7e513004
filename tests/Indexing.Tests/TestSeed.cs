using System.Globalization;

namespace Jackdaw.Indexing.Tests;

/// <summary>The seed of a randomised test: of the environment variable <c>JACKDAW_SEED</c>, or a new one. A failure's message
/// must name it.</summary>
internal static class TestSeed
{
    public static int Next() =>
        Environment.GetEnvironmentVariable("JACKDAW_SEED") is { Length: > 0 } given
            ? int.Parse(given, CultureInfo.InvariantCulture)
            : Random.Shared.Next();
}
