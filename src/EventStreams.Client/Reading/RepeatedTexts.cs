using System.Text.Json;

namespace Jackdaw.EventStreams.Client.Reading;

/// <summary>Texts that come again and again in neighbouring events: one string for all of them.</summary>
internal sealed class RepeatedTexts
{
    private string _stream = "";
    private string _writer = "";
    private string _manifest = "";
    private string _adapterManifest = "";

    public string Stream(ref Utf8JsonReader json) => Same(ref json, ref _stream);

    public string Writer(ref Utf8JsonReader json) => Same(ref json, ref _writer);

    public string Manifest(ref Utf8JsonReader json) => Same(ref json, ref _manifest);

    public string AdapterManifest(ref Utf8JsonReader json) => Same(ref json, ref _adapterManifest);

    private static string Same(ref Utf8JsonReader json, ref string last) =>
        json.TokenType == JsonTokenType.String && json.ValueTextEquals(last) ? last : last = json.GetString() ?? "";
}
