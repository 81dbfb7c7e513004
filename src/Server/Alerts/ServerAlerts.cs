using System.Collections.Concurrent;

namespace Jackdaw.Server.Alerts;

/// <summary>What an operator should look at in the server as a whole, in memory only: whoever raises an alert clears it, and raises it
/// again after a restart where the cause is still there. Thread-safe.</summary>
internal sealed class ServerAlerts
{
    /// <summary>How many alerts are kept at once; further ones are not kept, and one alert says so.</summary>
    public const int MaxAlerts = 1000;

    private readonly ConcurrentDictionary<string, Alert> _alerts = new(StringComparer.Ordinal);
    private readonly TimeProvider _clock;

    public ServerAlerts(TimeProvider? clock = null) => _clock = clock ?? TimeProvider.System;

    /// <summary>All alerts, oldest first.</summary>
    public IReadOnlyList<Alert> All =>
        [.. _alerts.Values.OrderBy(alert => alert.Since).ThenBy(alert => alert.Source, StringComparer.Ordinal)];

    /// <summary>Raises an alert, or replaces the one of that key, which keeps its time.</summary>
    /// <param name="key">What it is about, for programs; shown as the alert's source.</param>
    /// <param name="severity"><see cref="Alert.Error"/> or <see cref="Alert.Warning"/>.</param>
    /// <param name="title">What is the matter, in one line.</param>
    /// <param name="message">Why.</param>
    /// <param name="advice">What the operator can do.</param>
    public void Raise(string key, string severity, string title, string message, string advice = "")
    {
        if (_alerts.Count >= MaxAlerts && !_alerts.ContainsKey(key))
        {
            (key, severity) = ("alerts", Alert.Warning);
            (title, message) = ($"There are more than {MaxAlerts} alerts", $"Further alerts are not shown (ServerAlerts.MaxAlerts).");
            advice = "Remove the causes of those that are shown.";
        }
        var raised = new Alert(severity, key, title, message, advice, _clock.GetUtcNow());
        _alerts.AddOrUpdate(key, raised, (_, known) => raised with { Since = known.Since });
    }

    /// <summary>Ends the alert of that key, if there is one.</summary>
    public void Clear(string key) => _alerts.TryRemove(key, out _);
}
