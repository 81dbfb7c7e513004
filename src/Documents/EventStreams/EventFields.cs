namespace Jackdaw.Documents.EventStreams;

/// <summary>The fields of an event that have a fixed size. Texts are name numbers; 0: none.</summary>
internal readonly record struct EventFields(bool IsJson, int Serializer, long Ticks, int Manifest, int AdapterManifest, int Writer);
