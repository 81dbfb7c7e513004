namespace Jackdaw.Simulation.Merging;

/// <summary>An event that is sent.</summary>
internal sealed record ModelEvent(
    string Payload,
    bool IsJson = true,
    int Serializer = 0,
    long? Ticks = null,
    string Manifest = "",
    string AdapterManifest = "",
    params string[] Tags
);
