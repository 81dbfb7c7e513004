using System.Diagnostics.Metrics;

namespace Jackdaw.Server.Metrics;

/// <summary>All samples of one metric, whichever meters they are from.</summary>
/// <param name="Name">As Prometheus has it.</param>
/// <param name="IsCounter">It only grows.</param>
/// <param name="Help">What it is.</param>
internal sealed record MetricFamily(string Name, bool IsCounter, string Help)
{
    /// <summary>Labels in the form <c>a="1",b="2"</c>, and the value.</summary>
    public SortedDictionary<string, double> Samples { get; } = new(StringComparer.Ordinal);

    /// <summary>The family of an observed instrument; null for instruments of other kinds, which would have to be listened to all
    /// the time.</summary>
    public static MetricFamily? Of(Instrument instrument)
    {
        if (!instrument.IsObservable)
            return null;
        var isCounter = instrument.GetType().GetGenericTypeDefinition() == typeof(ObservableCounter<>);
        return new MetricFamily(NameOf(instrument, isCounter), isCounter, instrument.Description ?? "");
    }

    private static string NameOf(Instrument instrument, bool isCounter)
    {
        var name = string.Create(
            instrument.Name.Length,
            instrument.Name,
            (letters, from) =>
            {
                for (var i = 0; i < from.Length; i++)
                    letters[i] = char.IsAsciiLetterOrDigit(from[i]) ? from[i] : '_';
            }
        );
        var unit = instrument.Unit switch
        {
            "s" => "_seconds",
            "By" => "_bytes",
            _ => "",
        };
        return name + unit + (isCounter ? "_total" : "");
    }
}
