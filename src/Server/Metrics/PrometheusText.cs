using System.Diagnostics.Metrics;
using System.Globalization;
using System.Text;

namespace Jackdaw.Server.Metrics;

/// <summary>The server's observed instruments in the text format of Prometheus, version 0.0.4.</summary>
internal static class PrometheusText
{
    public const string ContentType = "text/plain; version=0.0.4; charset=utf-8";

    /// <summary>Looks at every instrument of the meters whose names begin with <paramref name="prefix"/>.</summary>
    public static string Collect(string prefix)
    {
        var families = new SortedDictionary<string, MetricFamily>(StringComparer.Ordinal);
        // What it is told goes to it alone: several may look at once.
        using (var listener = new MeterListener())
        {
            listener.InstrumentPublished = (instrument, self) =>
            {
                if (instrument.Meter.Name.StartsWith(prefix, StringComparison.Ordinal) && MetricFamily.Of(instrument) is { } family)
                    self.EnableMeasurementEvents(instrument, families.TryAdd(family.Name, family) ? family : families[family.Name]);
            };
            listener.SetMeasurementEventCallback<long>((_, value, tags, family) => Add(family, value, tags));
            listener.SetMeasurementEventCallback<int>((_, value, tags, family) => Add(family, value, tags));
            listener.SetMeasurementEventCallback<double>((_, value, tags, family) => Add(family, value, tags));
            listener.Start();
            listener.RecordObservableInstruments();
        }
        return Write(families.Values);
    }

    public static string Write(IEnumerable<MetricFamily> families)
    {
        var text = new StringBuilder();
        foreach (var family in families)
        {
            text.Append("# HELP ").Append(family.Name).Append(' ').Append(EscapeHelp(family.Help)).Append('\n');
            text.Append("# TYPE ").Append(family.Name).Append(family.IsCounter ? " counter\n" : " gauge\n");
            foreach (var (labels, value) in family.Samples)
            {
                text.Append(family.Name);
                if (labels.Length > 0)
                    text.Append('{').Append(labels).Append('}');
                text.Append(' ').Append(Number(value)).Append('\n');
            }
        }
        return text.ToString();
    }

    /// <summary>Tags in the form <c>a="1",b="2"</c>.</summary>
    public static string Labels(ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        var text = new StringBuilder();
        foreach (var (name, value) in tags)
            text.Append(text.Length > 0 ? "," : "")
                .Append(name)
                .Append("=\"")
                .Append(EscapeLabel(Convert.ToString(value, CultureInfo.InvariantCulture) ?? ""))
                .Append('"');
        return text.ToString();
    }

    private static void Add(object? family, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags) =>
        ((MetricFamily)family!).Samples[Labels(tags)] = value;

    private static string EscapeLabel(string text) => EscapeHelp(text).Replace("\"", "\\\"", StringComparison.Ordinal);

    private static string EscapeHelp(string text) =>
        text.Replace("\\", "\\\\", StringComparison.Ordinal).Replace("\n", "\\n", StringComparison.Ordinal);

    private static string Number(double value) =>
        double.IsNaN(value) ? "NaN"
        : double.IsPositiveInfinity(value) ? "+Inf"
        : double.IsNegativeInfinity(value) ? "-Inf"
        : value.ToString("R", CultureInfo.InvariantCulture);
}
